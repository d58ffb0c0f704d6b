import EngineAudio
import EngineBasics
import EngineModels

extension NetworkLiveDecoder {
    /// Tokens to leave free for new text.
    private static let newTokens = 120

    /// Returns the previous text, the start sequence and the forced words.
    func initialTokens(for request: LiveRequest, contextLength: Int) throws -> InitialTokens {
        let start = try tokenizer.startOfTranscriptSequence(
            language: model.dimensions.isMultilingual ? language.code : nil, task: options.task)
        let text = [options.whisper.initialPrompt ?? "", request.context].filter { !$0.isEmpty }
            .map { " " + WhiteSpace.strip($0) }.joined()
        let forced = request.forced.flatMap(\.tokens)
        let room = min(contextLength / 2 - 1, contextLength - start.count - 2 - forced.count - Self.newTokens)
        let prompt = text.isEmpty ? [] : tokenizer.encode(text).suffix(max(0, room))
        let previous = prompt.isEmpty ? [] : [tokenizer.special.startOfPrevious] + prompt
        let begin = previous + start + [tokenizer.special.noTimestamps]
        // Forced words always leave room for at least one new token.
        return InitialTokens(
            tokens: begin + forced.suffix(max(0, contextLength - begin.count - 1)), sotIndex: previous.count)
    }

    /// Returns the words of `tokens` with times from the attention in `record`.
    func words(
        of tokens: [Int], request: LiveRequest, initial: InitialTokens, record: AttentionRecord, monitor: PassMonitor
    ) -> [LiveWord] {
        let complete = tokenizer.withoutPartialCharacter(tokens)
        // Rows before the start of the transcript belong to previous text, which is not in the audio.
        let first = initial.sotIndex
        let rows = min(record.rows, initial.tokens.count + complete.count) - first
        let forcedCount = request.forced.reduce(0) { $0 + $1.tokens.count }
        let startLength = initial.tokens.count - first - forcedCount - 1
        guard !complete.isEmpty, rows > startLength, startLength >= 0 else { return [] }
        let alignment = CrossAttentionAlignment(
            rows: rows, columns: record.columns, startLength: startLength, frames: 2 * record.columns, trailing: 0)
        let new = CrossAttentionAlignment.words(
            of: complete, tokenizer: tokenizer, language: model.dimensions.isMultilingual ? language.code : nil)
        let timings = alignment.timings(
            of: request.forced.map { WordTokens(word: $0.text, tokens: $0.tokens) } + new,
            scores: record.scores.map { Array($0[(first * record.columns)..<((first + rows) * record.columns)]) },
            probabilities: [Float](repeating: 1, count: forcedCount) + monitor.probabilities.prefix(complete.count))
        let punctuation = PunctuationMerging(
            prepended: options.whisper.prependPunctuations, appended: options.whisper.appendPunctuations)
        let merged = WordTimings(Array(timings.dropFirst(request.forced.count)), merging: punctuation).words
        return liveWords(merged, request: request, stable: monitor.stableCount)
    }

    /// - Parameter stable: number of leading tokens that are stable. The last word never is, since it may be cut off.
    private func liveWords(_ timings: [WordTiming], request: LiveRequest, stable: Int) -> [LiveWord] {
        var words: [LiveWord] = []
        var tokens = 0
        for timing in timings where !timing.word.isEmpty {
            tokens += timing.tokens.count
            let isWhole = !timing.word.unicodeScalars.contains("\u{FFFD}")
            let text = isWhole ? timing.word : tokenizer.text(of: timing.tokens)
            if text.isEmpty { continue }
            words.append(
                LiveWord(
                    text: text, tokens: timing.tokens, start: sample(at: timing.start, in: request.range),
                    end: sample(at: timing.end, in: request.range), probability: timing.probability,
                    isStable: tokens <= stable))
        }
        if let last = words.indices.last { words[last].isStable = false }
        return words
    }

    private func sample(at seconds: Double, in range: Range<Int>) -> Int {
        min(range.lowerBound + AudioChunk.samples(in: seconds), range.upperBound)
    }
}
