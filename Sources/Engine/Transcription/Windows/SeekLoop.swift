/// Walks through a recording window by window and cuts what is heard into segments: openai-whisper's
/// `transcribe()` below the spectrogram.
///
/// The language is decided before: given, or detected by the caller.
package struct SeekLoop {
    /// First frame (10 ms) of the next window. Grows with each window, except where a clip lies before the last one.
    package private(set) var position: Int
    /// What happened in the last call of `next()` besides its segments.
    package private(set) var events: [WindowEvent] = []

    private let options: TranscriptionOptions
    private let contentFrames: Int
    private let tokenizer: Tokenizer
    private let decoder: any WindowDecoder
    private let fallback: TemperatureFallback
    /// Options of every window, but for prompt and prefix.
    private let decodingOptions: DecodingOptions
    private let prefix: [Int]

    private var clips: ClipTimestamps
    /// `nil` does as the reference does.
    private var guards: Guards?
    private var history: PromptHistory
    private var segmentCount = 0
    /// End of the last word so far in seconds.
    private var lastSpeech = 0.0

    /// - Parameters:
    ///   - contentFrames: frames of the recording, without padding.
    ///   - language: code of the language spoken; `en` for English models.
    ///   - decoder: the network.
    ///   - guards: measures beyond the reference's.
    ///   - initialPrompt: ids of the options' text where they are not the reference's.
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
                RepetitionLimit(times: Guards.mostRepetitions, endOfText: tokenizer.special.endOfText)
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
    package var text: String { tokenizer.decode(history.transcript) }

    /// Decodes the next window.
    ///
    /// - Returns: its segments, none where it was skipped; `nil` when the recording is over.
    package mutating func next() throws -> [TranscriptSegment]? {
        events = []
        guard let end = clips.end(from: &position) else { return nil }
        if let guards, guards.speech.count(in: position..<end) == 0 {
            let (start, clipEnd) = (Double(position) / 100, Double(end) / 100)
            events.append(.guarded(.noSpeechLeft(start: start, end: clipEnd)))
            position = end
            return []
        }
        let frames = min(options.audioContext.mostFrames, contentFrames - position, end - position)
        let span = WindowSpan(seek: position, frames: frames, contentFrames: contentFrames)
        let result = try decode(span)
        if isSilence(result) {
            events.append(
                .skipped(
                    start: span.start, end: span.start + span.duration, noSpeechProb: result.noSpeechProb,
                    avgLogprob: result.avgLogprob))
            position += span.frames
            return []
        }
        let cut = WindowSegments(tokens: result.tokens, span: span, tokenizer: tokenizer)
        var segments = cut.segments
        let usesWords = options.wordTimestamps || seeksByWords
        if usesWords { try align(&segments, span: span) }
        // From here on nothing throws: after an error the window can be decoded again.
        position = span.seek + cut.advance
        let isKept = usesWords ? applyWords(of: &segments, cut: cut, span: span) : true
        if !options.wordTimestamps, usesWords, position != span.seek + cut.advance {
            events.append(.guarded(.wentOnBehindLastWord(at: Double(position) / 100)))
        }
        if position <= span.seek {
            // The reference would decode this window for ever.
            position = span.seek + span.frames
            events.append(.stoodStill(start: span.start, end: span.start + span.duration))
        }
        guard isKept else { return [] }
        return finish(segments, of: result, span: span)
    }

    private mutating func decode(_ span: WindowSpan) throws -> DecodingResult {
        var windowOptions = decodingOptions
        windowOptions.prompt = history.prompt
        windowOptions.prefix = span.seek == 0 ? prefix : []
        let window = MelWindow(seek: span.seek, frames: span.frames)
        var retries: [WindowEvent] = []
        let result = try fallback.decode(
            options: windowOptions, attempt: { try decoder.decode(window, options: $0) },
            retried: { retries.append(.retried($0)) })
        events += retries
        return try contradicted(result, windowOptions, span: span)
    }

    /// Without times only its words tell how far a window was heard.
    private var seeksByWords: Bool { guards != nil && decodingOptions.withoutTimestamps }

    /// Decodes a window again that the model takes for silence although somebody speaks.
    private mutating func contradicted(
        _ result: DecodingResult, _ windowOptions: DecodingOptions, span: WindowSpan
    ) throws -> DecodingResult {
        guard isSilence(result), let share = guards?.contradiction(to: span) else { return result }
        var result = result
        for temperature in options.temperatures where temperature > result.temperature && isSilence(result) {
            events.append(
                .retried(
                    DecodingRetry(
                        failedTemperature: result.temperature, temperature: temperature,
                        reason: .speechHeard(share: share))))
            var once = fallback
            once.temperatures = [temperature]
            let window = MelWindow(seek: span.seek, frames: span.frames)
            result = try once.decode(options: windowOptions) { try decoder.decode(window, options: $0) }
        }
        return result
    }

    private func isSilence(_ result: DecodingResult) -> Bool {
        guard let threshold = options.noSpeechThreshold, result.noSpeechProb > threshold else { return false }
        guard let logprobThreshold = options.logprobThreshold else { return true }
        return !(result.avgLogprob > logprobThreshold)
    }

    /// Gives the segments their words.
    private func align(_ segments: inout [WindowSegment], span: WindowSpan) throws {
        let textTokens = segments.flatMap { $0.tokens.filter { $0 < tokenizer.special.endOfText } }
        var alignment: [WordTiming] = []
        if !textTokens.isEmpty {
            alignment = try decoder.align(
                MelWindow(seek: span.seek, frames: span.frames), textTokens: textTokens,
                language: decodingOptions.language, task: decodingOptions.task)
        }
        let punctuation = PunctuationMerging(
            prepended: options.prependPunctuations, appended: options.appendPunctuations)
        var timings = segments.map(\.timing)
        WordTimings(alignment, merging: punctuation).assign(
            to: &timings, timeOffset: span.start, lastSpeech: lastSpeech)
        for i in segments.indices { segments[i].timing = timings[i] }
    }

    /// Lets the words decide where the next window starts and what is dropped.
    ///
    /// - Returns: false if the whole window is to be dropped.
    private mutating func applyWords(of segments: inout [WindowSegment], cut: WindowSegments, span: WindowSpan) -> Bool
    {
        let lastEnd = Self.lastEnd(of: segments).flatMap { $0 > span.start ? $0 : nil }
        if !cut.endsInSingleTimestamp, let lastEnd { position = TimeRounding.frame(at: lastEnd) }
        if let threshold = options.hallucinationSilenceThreshold {
            let rule = HallucinationRule(threshold: threshold)
            if !cut.endsInSingleTimestamp, let lastEnd { position = rule.seek(afterLastWordAt: lastEnd, of: span) }
            switch rule.verdict(on: segments.map(\.timing), span: span, lastSpeech: lastSpeech) {
            case .keep: break
            case .decodeAgain(let seek):
                position = seek
                events.append(.skippedLeadingSilence(start: span.start, end: Double(seek) / 100))
                return false
            case .keepFirst(let count, let seek):
                position = seek
                events += segments[count...].map {
                    .droppedHallucination(start: $0.timing.start, end: $0.timing.end, text: $0.text)
                }
                segments.removeSubrange(count...)
            }
        }
        if let end = Self.lastEnd(of: segments) { lastSpeech = end }
        return true
    }

    /// End of the last word; without any words, of the last segment.
    private static func lastEnd(of segments: [WindowSegment]) -> Double? {
        segments.last { !$0.timing.words.isEmpty }?.timing.words.last?.end ?? segments.last?.timing.end
    }

    /// Clears what is blank, counts the segments and remembers their ids for the next prompt.
    private mutating func finish(_ segments: [WindowSegment], of result: DecodingResult, span: WindowSpan)
        -> [TranscriptSegment]
    {
        var segments = segments
        if let measures = guards?.apply(to: &segments, noSpeechProb: result.noSpeechProb, span: span) {
            events += measures.map { .guarded($0) }
        }
        let finished = segments.enumerated().map { index, segment in
            let words = segment.timing.words.map {
                TranscriptWord(word: $0.word, start: $0.start, end: $0.end, probability: $0.probability)
            }
            let isBlank = segment.isBlank
            return TranscriptSegment(
                id: segmentCount + index, seek: span.seek, start: segment.timing.start, end: segment.timing.end,
                text: isBlank ? "" : segment.text, tokens: isBlank ? [] : segment.tokens,
                temperature: result.temperature, avgLogprob: result.avgLogprob,
                compressionRatio: result.compressionRatio, noSpeechProb: result.noSpeechProb,
                words: isBlank ? [] : options.wordTimestamps ? words : nil)
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
