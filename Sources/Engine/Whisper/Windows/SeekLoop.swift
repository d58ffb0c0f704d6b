import EngineBasics
package import EngineModels
package import EngineTranscripts
package import EngineVocabulary
package import EngineVoices

/// Transcribes a recording window by window and splits the results into segments: openai-whisper's `transcribe()` after
/// the spectrogram.
///
/// The language must be known: given, or detected by the caller. With `multilingual`, it is that of the first window unless
/// another is clear.
package struct SeekLoop {
    /// First frame (10 ms) of the next window. Increases with each window unless a clip starts before the previous one.
    package internal(set) var position: Int
    /// What happened in the last call of `next()` besides its segments.
    package internal(set) var events: [WindowEvent] = []

    /// The language that was detected in the last window; `nil` without `multilingual`, and if it was unclear.
    package internal(set) var language: DetectedLanguage?

    let options: TranscriptionOptions
    let contentFrames: Int
    let tokenizer: Tokenizer
    let decoder: any WindowDecoder
    let fallback: TemperatureFallback
    /// Options of every window, except for prompt and prefix.
    var decodingOptions: DecodingOptions
    let prefix: [Int]
    let misheard: MisheardTerms?

    var clips: ClipTimestamps
    /// `nil` behaves exactly like the reference.
    var guards: Guards?
    /// Where a window can be divided between languages.
    let speech: SpeechIntervals
    var history: PromptHistory
    var impossible: ImpossibleText
    /// First frame after the current clip.
    var clipEnd = 0
    /// First frame after the speech that a text cut before its repetition leaves out; the next window ends there.
    var restEnd: Int?
    var segmentCount = 0
    /// The start of a character with which the last segment ended.
    var unfinished: [UInt8] = []
    /// End of the last word so far in seconds.
    var lastSpeech = 0.0

    /// - Parameters:
    ///   - contentFrames: frames of the recording, without padding.
    ///   - language: code of the spoken language; `en` for English-only models.
    ///   - guards: measures that the reference does not have.
    ///   - speech: where to divide windows between languages without guards.
    ///   - initialPrompt: ids to use instead of those of the options' text.
    ///   - suggestions: the terms that words may be.
    package init(
        options: TranscriptionOptions, contentFrames: Int, tokenizer: Tokenizer, language: String,
        decoder: any WindowDecoder, guards: Guards? = nil,
        speech: SpeechIntervals = SpeechIntervals(), initialPrompt: [Int]? = nil,
        suggestions: TermSuggestions? = nil
    ) {
        self.options = options
        self.contentFrames = max(0, contentFrames)
        self.tokenizer = tokenizer
        self.decoder = decoder
        self.guards = guards
        self.speech = guards?.speech ?? speech
        var judge = TextJudge(options.whisper)
        judge.repetitions = guards.map { _ in TextThresholds.repetitions }
        fallback = TemperatureFallback(
            temperatures: options.whisper.temperatures, judge: judge, endOfText: tokenizer.special.endOfText)
        impossible = ImpossibleText(options: options, tokenizer: tokenizer, language: language)
        func ids(_ text: String?) -> [Int]? { text.map { tokenizer.encode(" " + WhiteSpace.strip($0)) } }
        // Only an empty prompt is more than none: a blank, as in the reference.
        func idsUnlessEmpty(_ text: String?) -> [Int]? { text?.isEmpty == true ? nil : ids(text) }
        var decodingOptions = options.whisper.decoding
        decodingOptions.task = options.task
        decodingOptions.language = language
        decodingOptions.beamSize = options.beamSize ?? WhisperOptions.beams
        if let hotwords = idsUnlessEmpty(options.whisper.hotwords) { decodingOptions.hotwords = hotwords }
        self.decodingOptions = decodingOptions
        prefix = idsUnlessEmpty(options.whisper.prefix) ?? options.whisper.decoding.prefix
        history = PromptHistory(
            initialPrompt: initialPrompt ?? ids(options.whisper.initialPrompt) ?? options.whisper.decoding.prompt,
            carriesInitialPrompt: options.whisper.carryInitialPrompt)
        // Hotwords have their own place before a window.
        misheard =
            decodingOptions.hotwords.isEmpty
            ? suggestions.map { MisheardTerms(suggestions: $0, tokenizer: tokenizer) } : nil
        clips = ClipTimestamps(options.clipTimestamps, contentFrames: self.contentFrames)
        position = clips.start
    }

    /// Text of all segments so far.
    package internal(set) var text = ""

    /// Decodes the next window.
    ///
    /// - Returns: its segments, none if it was skipped; `nil` at the end of the recording.
    /// - Throws: errors of the decoder; the same window can then be decoded again.
    package mutating func next() throws -> [TranscriptSegment]? {
        events = []
        guard let end = clips.end(from: &position) else { return nil }
        clipEnd = end
        if let next = guards?.endOfSilence(from: position, to: end) {
            events.append(.guarded(.noSpeech(start: Double(position) / 100, end: Double(next) / 100)))
            position = next
            if position == end { return [] }
        }
        if let restEnd, position < restEnd {
            let found = try decodeRest(to: restEnd)
            self.restEnd = nil
            return found
        }
        restEnd = nil
        let longest = min(
            options.whisper.audioContext.maxFrames,
            options.whisper.chunkLength.map { TimeRounding.frame(at: $0) } ?? .max)
        let frames = min(longest, contentFrames - position, end - position)
        var window = WindowSpan(seek: position, frames: frames, contentFrames: contentFrames)
        if options.multilingual { try detectLanguage(of: &window) }
        var windowOptions = decodingOptions
        windowOptions.prompt = history.prompt
        windowOptions.prefix = window.seek == 0 ? prefix : []
        var retries: [WindowEvent] = []
        var attempts: [DecodingResult] = []
        var result = try fallback.decode(
            options: windowOptions,
            attempt: {
                attempts.append(try decoder.decode(window, options: $0))
                return attempts[attempts.count - 1]
            },
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
        if guards != nil, impossible.isFound(in: result, of: window) {
            if attempts.last != result { attempts.append(result) }
            return try decodeAgain(window, options: windowOptions, failed: attempts)
        }
        return try segments(of: result, in: window)
    }

    /// Changes the language to that in which a window begins, if it is clear. The window then ends where another language
    /// begins.
    private mutating func detectLanguage(of window: inout WindowSpan) throws {
        language = nil
        let parts = speech.utterances(in: window.seek..<(window.seek + window.frames))
        if parts.count < 2 {
            let detected = try decoder.detectLanguage(of: window, isDecoded: true)
            if detected.share >= Guards.languageProbability { language = detected }
        }
        for part in parts where parts.count > 1 {
            let span = WindowSpan(seek: part.lowerBound, frames: part.count, contentFrames: contentFrames)
            let detected = try decoder.detectLanguage(of: span, isDecoded: false)
            guard detected.share >= Guards.languageProbability else { continue }
            if let first = language, first.code != detected.code {
                clipEnd = part.lowerBound
                window = WindowSpan(
                    seek: window.seek, frames: clipEnd - window.seek, contentFrames: contentFrames)
                break
            }
            language = language ?? detected
        }
        guard let code = language?.code, code != decodingOptions.language else { return }
        decodingOptions.language = code
        impossible = ImpossibleText(options: options, tokenizer: tokenizer, language: code)
        // Text in one language misleads the network in another.
        history.reset()
    }
}
