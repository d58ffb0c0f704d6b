package import EngineModels

/// The tokens that the decoder starts from: previous text, the start sequence and a forced prefix.
package struct InitialTokens: Hashable, Sendable {
    package let tokens: [Int]
    /// Position of the start-of-transcript token, whose logits yield the no-speech probability.
    package let sotIndex: Int
    /// The last of the tokens if they are part of the text: a timestamp and the prefix.
    package let forced: [Int]

    /// - Parameters:
    ///   - tokens: not empty.
    ///   - sotIndex: a position in `tokens`.
    package init(tokens: [Int], sotIndex: Int, forced: [Int] = []) {
        precondition(tokens.indices.contains(sotIndex), "position \(sotIndex) of \(tokens.count) tokens")
        self.tokens = tokens
        self.sotIndex = sotIndex
        self.forced = forced
    }

    /// Assembles `[start of previous] hotwords, prompt, start sequence, [no timestamps], prefix`.
    ///
    /// The prompt is cut to its last 223 ids (half the context less one), the hotwords to their first 223. A prefix
    /// replaces the hotwords. With a `sampleLength` below half the context, the prefix is limited to the difference by
    /// dropping its first ids. If long hotwords and a long prompt together would leave less than a quarter of the
    /// context for the window, the oldest ids of the prompt are dropped as well. A prefix that is part of the text follows
    /// a timestamp of 0 and is limited to its first 223 ids, as in faster-whisper.
    ///
    /// - Parameters:
    ///   - sotSequence: start of transcript, followed by language and task for multilingual vocabularies.
    ///   - contextLength: maximum number of tokens of a hypothesis (448).
    package init(sotSequence: [Int], options: DecodingOptions, specials: SpecialTokens, contextLength: Int) {
        let half = contextLength / 2
        var start = sotSequence
        if options.withoutTimestamps { start.append(specials.noTimestamps) }
        var forced: [Int] = []
        if options.prefixInText, !options.prefix.isEmpty {
            forced = (options.withoutTimestamps ? [] : [specials.firstTimestamp]) + options.prefix.prefix(half - 1)
            start += forced
        } else {
            start += Self.prefix(options.prefix, room: half - (options.sampleLength ?? half))
        }

        let hotwords = options.prefix.isEmpty ? options.hotwords.prefix(half - 1) : []
        var previous = options.prompt.suffix(half - 1)
        var opening: [Int] = []
        if !previous.isEmpty || !hotwords.isEmpty {
            opening = [specials.startOfPrevious] + hotwords
            if !hotwords.isEmpty {
                let room = contextLength - contextLength / 4 - opening.count - start.count
                previous = previous.suffix(max(0, room))
            }
        }
        let tokens = opening + previous + start
        self.init(
            tokens: tokens, sotIndex: tokens.firstIndex(of: specials.startOfTranscript) ?? 0, forced: forced)
    }

    /// The reference's slice `ids[-room:]`: all ids for 0, and all but the first `-room` ids for negative values.
    private static func prefix(_ ids: [Int], room: Int) -> ArraySlice<Int> {
        switch room {
        case 0: ids[...]
        case ..<0: ids.dropFirst(-room)
        default: ids.suffix(room)
        }
    }
}
