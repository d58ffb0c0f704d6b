/// Transcribes a recording window by window and splits the results into segments: openai-whisper's `transcribe()` after
/// the spectrogram.
///
/// The language must be known: given, or detected by the caller.
package struct SeekLoop {
    /// First frame (10 ms) of the next window. Increases with each window unless a clip starts before the previous one.
    package private(set) var position: Int
    /// What happened in the last call of `next()` besides its segments.
    package private(set) var events: [WindowEvent] = []

    private let options: TranscriptionOptions
    private let contentFrames: Int
    private let tokenizer: Tokenizer
    private let decoder: any WindowDecoder
    private let fallback: TemperatureFallback
    /// Options of every window, except for prompt and prefix.
    private let decodingOptions: DecodingOptions
    private let prefix: [Int]

    private var clips: ClipTimestamps
    /// `nil` behaves exactly like the reference.
    private var guards: Guards?
    private var history: PromptHistory
    private var segmentCount = 0
    /// End of the last word so far in seconds.
    private var lastSpeech = 0.0

    /// - Parameters:
    ///   - contentFrames: frames of the recording, without padding.
    ///   - language: code of the spoken language; `en` for English-only models.
    ///   - guards: measures that the reference does not have.
    ///   - initialPrompt: ids to use instead of those of the options' text.
    package init(
        options: TranscriptionOptions, contentFrames: Int, tokenizer: Tokenizer, language: String,
        decoder: any WindowDecoder, guards: Guards? = nil, initialPrompt: [Int]? = nil
    ) {
        self.options = options
        self.contentFrames = max(0, contentFrames)
        self.tokenizer = tokenizer
        self.decoder = decoder
        self.guards = guards
        fallback = TemperatureFallback(
            temperatures: options.temperatures, compressionRatioThreshold: options.compressionRatioThreshold,
            logprobThreshold: options.logprobThreshold, noSpeechThreshold: options.noSpeechThreshold,
            repetitionLimit: guards.map { _ in
                RepetitionLimit(times: Guards.maxRepetitions, endOfText: tokenizer.special.endOfText)
            })
        func ids(_ text: String?) -> [Int]? { text.map { tokenizer.encode(" " + WhiteSpace.strip($0)) } }
        var decodingOptions = options.decoding
        decodingOptions.language = language
        if let hotwords = ids(options.hotwords) { decodingOptions.hotwords = hotwords }
        self.decodingOptions = decodingOptions
        prefix = ids(options.prefix) ?? options.decoding.prefix
        history = PromptHistory(
            initialPrompt: initialPrompt ?? ids(options.initialPrompt) ?? [],
            carriesInitialPrompt: options.carryInitialPrompt)
        clips = ClipTimestamps(options.clipTimestamps, contentFrames: self.contentFrames)
        position = clips.start
    }

    /// Text of all segments so far.
    package var text: String { tokenizer.text(of: history.transcript) }

    /// Decodes the next window.
    ///
    /// - Returns: its segments, none if it was skipped; `nil` at the end of the recording.
    /// - Throws: errors of the decoder; the same window can then be decoded again.
    package mutating func next() throws -> [TranscriptSegment]? {
        events = []
        guard let end = clips.end(from: &position) else { return nil }
        if let next = guards?.endOfSilence(from: position, to: end) {
            events.append(.guarded(.noSpeech(start: Double(position) / 100, end: Double(next) / 100)))
            position = next
            if position == end { return [] }
        }
        let frames = min(options.audioContext.maxFrames, contentFrames - position, end - position)
        let window = WindowSpan(seek: position, frames: frames, contentFrames: contentFrames)
        var windowOptions = decodingOptions
        windowOptions.prompt = history.prompt
        windowOptions.prefix = window.seek == 0 ? prefix : []
        var retries: [WindowEvent] = []
        var result = try fallback.decode(
            options: windowOptions, attempt: { try decoder.decode(window, options: $0) },
            retried: { retries.append(.retried($0)) })
        events += retries
        try retryIfSpeech(&result, options: windowOptions, in: window)
        if isSilence(result) {
            events.append(
                .skipped(
                    start: window.start, end: window.start + window.duration, noSpeechProb: result.noSpeechProb,
                    avgLogprob: result.avgLogprob))
            position += window.frames
            return []
        }
        return try segments(of: result, in: window)
    }

    /// Decodes a window again that the model classifies as silence although it contains speech, until a result passes all
    /// tests. If none does, the window stays silent: at higher temperatures noise turns into repetitions that look probable.
    private mutating func retryIfSpeech(
        _ result: inout DecodingResult, options windowOptions: DecodingOptions, in window: WindowSpan
    ) throws {
        guard isSilence(result), let share = guards?.significantSpeech(in: window) else { return }
        var latest = result
        for temperature in options.temperatures where temperature > result.temperature {
            events.append(
                .retried(
                    DecodingRetry(
                        failedTemperature: latest.temperature, temperature: temperature,
                        reason: fallback.failure(of: latest) ?? .speechDetected(share: share))))
            latest = try decoder.decode(window, options: windowOptions.at(temperature: temperature))
            if !isSilence(latest), fallback.failure(of: latest) == nil {
                result = latest
                return
            }
        }
    }

    private func isSilence(_ result: DecodingResult) -> Bool {
        guard let threshold = options.noSpeechThreshold, result.noSpeechProb > threshold else { return false }
        guard let logprobThreshold = options.logprobThreshold else { return true }
        return !(result.avgLogprob > logprobThreshold)
    }

    /// Splits a result into segments, times its words where needed, and moves `position` to the next window.
    private mutating func segments(of result: DecodingResult, in window: WindowSpan) throws -> [TranscriptSegment] {
        let split = WindowSegments(tokens: result.tokens, span: window, tokenizer: tokenizer)
        var segments = split.segments
        // Without timestamps, only the words show how much of the window was transcribed.
        let needsWords = guards != nil && decodingOptions.withoutTimestamps
        let seeksByWords = options.wordTimestamps && options.seeksByWords || needsWords
        if options.wordTimestamps || needsWords { try align(&segments, window: window) }
        // Nothing below throws, so that after an error the window can be decoded again.
        position = window.seek + split.advance
        let isKept = seeksByWords ? applyWords(of: &segments, split: split, window: window) : true
        if isKept, let end = Self.lastEnd(of: segments) { lastSpeech = end }
        if !options.wordTimestamps, needsWords, position != window.seek + split.advance {
            events.append(.guarded(.continuedAfterLastWord(at: Double(position) / 100)))
        }
        if position <= window.seek {
            // The reference would decode this window forever.
            position = window.seek + window.frames
            events.append(.noProgress(start: window.start, end: window.start + window.duration))
        }
        guard isKept else { return [] }
        // The model's own times, so that word timestamps do not change the text.
        let textEnd = segments.last { !$0.isBlank }?.originalTiming.end
        var finished = finish(segments, of: result, window: window)
        let hasText = finished.contains { !$0.text.isEmpty } || guards?.hasMisplacedText == true
        if let next = guards?.missedSpeech(after: hasText ? textEnd : nil, from: window.seek, to: position) {
            position = next
            history.reset()
            events.append(.guarded(.continuedAfterLastWord(at: Double(position) / 100)))
        }
        if options.ordersTimes {
            finished.putInOrder(from: window.start, to: Double(min(position, window.seek + window.frames)) / 100)
        }
        return finished
    }

    /// Assigns words to the segments.
    private func align(_ segments: inout [WindowSegment], window: WindowSpan) throws {
        let textTokens = segments.flatMap { $0.tokens.filter { $0 < tokenizer.special.endOfText } }
        var alignment: [WordTiming] = []
        if !textTokens.isEmpty {
            alignment = try decoder.align(
                window, textTokens: textTokens, language: decodingOptions.language, task: decodingOptions.task)
        }
        let punctuation = PunctuationMerging(
            prepended: options.prependPunctuations, appended: options.appendPunctuations)
        var timings = segments.map(\.timing)
        WordTimings(alignment, merging: punctuation).assign(
            to: &timings, timeOffset: window.start, lastSpeech: lastSpeech)
        for i in segments.indices { segments[i].timing = timings[i] }
    }

    /// Uses the words to choose the start of the next window and to drop hallucinations.
    ///
    /// - Returns: false if the whole window is to be dropped.
    private mutating func applyWords(
        of segments: inout [WindowSegment], split: WindowSegments, window: WindowSpan
    ) -> Bool {
        let lastEnd = Self.lastEnd(of: segments).flatMap { $0 > window.start ? $0 : nil }
        if !split.endsInSingleTimestamp, let lastEnd { position = TimeRounding.frame(at: lastEnd) }
        if let threshold = options.hallucinationSilenceThreshold {
            let rule = HallucinationRule(threshold: threshold)
            if !split.endsInSingleTimestamp, let lastEnd { position = rule.seek(afterLastWordAt: lastEnd, of: window) }
            switch rule.verdict(on: segments.map(\.timing), span: window, lastSpeech: lastSpeech) {
            case .keep: break
            case .decodeAgain(let seek):
                position = seek
                events.append(.skippedLeadingSilence(start: window.start, end: Double(seek) / 100))
                return false
            case .keepFirst(let count, let seek):
                position = seek
                events += segments[count...].map {
                    .droppedHallucination(start: $0.timing.start, end: $0.timing.end, text: $0.text)
                }
                segments.removeSubrange(count...)
            }
        }
        return true
    }

    /// End of the last word, or of the last segment if there are no words.
    private static func lastEnd(of segments: [WindowSegment]) -> Double? {
        segments.last { !$0.timing.words.isEmpty }?.timing.words.last?.end ?? segments.last?.timing.end
    }

    /// Clears blank segments, numbers all of them and adds their ids to the history.
    private mutating func finish(
        _ segments: [WindowSegment], of result: DecodingResult, window: WindowSpan
    ) -> [TranscriptSegment] {
        var segments = segments
        if let measures = guards?.apply(to: &segments, of: result, span: window, next: position) {
            events += measures.map { .guarded($0) }
        }
        let finished = segments.enumerated().map { index, segment in
            let words = segment.timing.words.map {
                TranscriptWord(word: $0.word, start: $0.start, end: $0.end, probability: $0.probability)
            }
            let isBlank = segment.isBlank
            var transcribed = TranscriptSegment(
                id: segmentCount + index, seek: window.seek, start: segment.timing.start, end: segment.timing.end,
                text: isBlank ? "" : segment.text, tokens: isBlank ? [] : segment.tokens,
                temperature: result.temperature, avgLogprob: result.avgLogprob,
                compressionRatio: result.compressionRatio, noSpeechProb: result.noSpeechProb,
                words: isBlank ? [] : options.wordTimestamps ? words : nil)
            if options.tokenLogprobs {
                transcribed.tokenLogprobs = isBlank ? [] : result.logprobs[segment.range].map { Double($0) }
            }
            return transcribed
        }
        segmentCount += finished.count
        history.append(finished.flatMap(\.tokens))
        if !options.conditionOnPreviousText || result.temperature > 0.5 { history.reset() }
        if guards?.isLoop(with: finished.map(\.text)) == true {
            history.reset()
            events.append(.guarded(.promptCleared(text: finished.last { !$0.text.isEmpty }?.text ?? "")))
        }
        return finished
    }
}
