/// What the decoder is given before it produces anything: previous text, the start sequence, the forced prefix.
package struct InitialTokens: Hashable, Sendable {
    package let tokens: [Int]
    /// Position of the start of the transcript, whose logits tell the no-speech probability.
    package let sotIndex: Int

    /// Position of the first token that is produced.
    package var sampleBegin: Int { tokens.count }

    /// - Parameter sotIndex: a position in `tokens`, which is not empty.
    package init(tokens: [Int], sotIndex: Int) {
        precondition(tokens.indices.contains(sotIndex), "position \(sotIndex) of \(tokens.count) tokens")
        self.tokens = tokens
        self.sotIndex = sotIndex
    }

    /// `[start of previous] hotwords, prompt, start sequence, [no timestamps], prefix`.
    ///
    /// The prompt is cut to its last, the hotwords to their first 223 ids (half the context less one). Hotwords give
    /// way to a prefix. A `sampleLength` below half the context leaves that much room to the prefix, cut from its
    /// front. Where long hotwords and a long prompt together would leave less than a quarter of the context to the
    /// window, the prompt's oldest ids go too.
    ///
    /// - Parameters:
    ///   - sotSequence: start of transcript, and for multilingual vocabularies language and task.
    ///   - contextLength: most tokens of a hypothesis (448).
    package init(sotSequence: [Int], options: DecodingOptions, specials: SpecialTokens, contextLength: Int) {
        let half = contextLength / 2
        var start = sotSequence
        if options.withoutTimestamps { start.append(specials.noTimestamps) }
        start += Self.prefix(options.prefix, room: half - (options.sampleLength ?? half))

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
        self.init(tokens: tokens, sotIndex: tokens.firstIndex(of: specials.startOfTranscript) ?? 0)
    }

    /// The reference's slice `ids[-room:]`: all for 0, and for a negative room without the first ones.
    private static func prefix(_ ids: [Int], room: Int) -> ArraySlice<Int> {
        switch room {
        case 0: ids[...]
        case ..<0: ids.dropFirst(-room)
        default: ids.suffix(room)
        }
    }
}
