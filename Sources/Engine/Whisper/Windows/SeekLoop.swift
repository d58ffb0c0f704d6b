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
    package private(set) var position: Int
    /// What happened in the last call of `next()` besides its segments.
    package private(set) var events: [WindowEvent] = []

    /// The language that was detected in the last window; `nil` without `multilingual`, and if it was unclear.
    package private(set) var language: DetectedLanguage?

    private let options: TranscriptionOptions
    private let contentFrames: Int
    private let tokenizer: Tokenizer
    private let decoder: any WindowDecoder
    private let fallback: TemperatureFallback
    /// Options of every window, except for prompt and prefix.
    private var decodingOptions: DecodingOptions
    private let prefix: [Int]
    private let misheard: MisheardTerms?

    private var clips: ClipTimestamps
    /// `nil` behaves exactly like the reference.
    private var guards: Guards?
    /// Where a window can be divided between languages.
    private let speech: SpeechIntervals
    private var history: PromptHistory
    private var impossible: ImpossibleText
    /// First frame after the current clip.
    private var clipEnd = 0
    /// First frame after the speech that a text cut before its repetition leaves out; the next window ends there.
    private var restEnd: Int?
    private var segmentCount = 0
    /// The start of a character with which the last segment ended.
    private var unfinished: [UInt8] = []
    /// End of the last word so far in seconds.
    private var lastSpeech = 0.0

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
    package private(set) var text = ""

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

    /// Decodes a window again in which no attempt has a text that can have been spoken: without a prompt, which may be
    /// what it repeats, and shortened. If nothing helps, keeps what the best attempt has before its repetition.
    private mutating func decodeAgain(
        _ window: WindowSpan, options windowOptions: DecodingOptions, failed: [DecodingResult]
    ) throws -> [TranscriptSegment] {
        var promptless = history
        promptless.reset()
        let lengths =
            (windowOptions.prompt == promptless.prompt ? [] : [window.frames])
            + impossible.shorterLengths(of: window, after: failed[0])
        var windowOptions = promptlessOptions
        windowOptions.prefix = window.seek == 0 ? prefix : []
        var attempts = failed
        for frames in lengths {
            let part = WindowSpan(seek: window.seek, frames: frames, contentFrames: contentFrames)
            events.append(.guarded(.windowShortened(start: part.start, end: part.start + part.duration)))
            let result = try decoder.decode(part, options: windowOptions)
            if isGood(result, of: part) {
                history = promptless
                return try segments(of: result, in: part)
            }
            if frames == window.frames { attempts.append(result) }
        }
        let kept = try impossible.kept(of: attempts, in: window) { text in
            try decoder.align(
                window, textTokens: text, language: decodingOptions.language, task: decodingOptions.task
            ).last
        }
        history = promptless
        events.append(.guarded(.repetitionCut(start: window.start, text: kept?.result.text ?? "")))
        let found = try kept.map { try segments(of: $0.result, in: $0.span, holdsBack: false) } ?? []
        let end = impossible.end(of: window)
        if position < end {
            // The same start would loop again.
            let rest = position > window.seek ? position : (window.seek + end) / 2
            restEnd = guards?.missesSpeech(in: rest..<end) == true ? end : nil
            position = restEnd == nil ? end : rest
        }
        return found
    }

    /// Decodes once what follows a text that was cut before its repetition.
    private mutating func decodeRest(to end: Int) throws -> [TranscriptSegment] {
        let rest = WindowSpan(seek: position, frames: end - position, contentFrames: contentFrames)
        events.append(.guarded(.windowShortened(start: rest.start, end: rest.start + rest.duration)))
        let result = try decoder.decode(rest, options: promptlessOptions)
        if isGood(result, of: rest) { return try segments(of: result, in: rest) }
        position = end
        return []
    }

    /// Options for decoding a part of a window again: whatever came before may be what misleads the network.
    private var promptlessOptions: DecodingOptions {
        var promptless = history
        promptless.reset()
        var result = decodingOptions.at(
            temperature: options.whisper.temperatures.first ?? decodingOptions.temperature)
        (result.prompt, result.prefix) = (promptless.prompt, [])
        return result
    }

    /// Whether a text that was decoded again is neither silence nor improbable nor a repetition.
    private func isGood(_ result: DecodingResult, of window: WindowSpan) -> Bool {
        !isSilence(result) && fallback.failure(of: result) == nil && !impossible.isFound(in: result, of: window)
    }

    /// Decodes a window again that the model classifies as silence although it contains speech, until a result passes all
    /// tests. If none does, the window stays silent: at higher temperatures noise turns into repetitions that look probable.
    private mutating func retryIfSpeech(
        _ result: inout DecodingResult, options windowOptions: DecodingOptions, in window: WindowSpan
    ) throws {
        guard isSilence(result), let share = guards?.significantSpeech(in: window) else { return }
        var latest = result
        for temperature in options.whisper.temperatures where temperature > result.temperature {
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

    /// The result with the terms that were misheard.
    private func withTerms(_ result: DecodingResult, in window: WindowSpan) throws -> DecodingResult {
        guard let misheard else { return result }
        var scoring = decodingOptions.at(temperature: 0)
        (scoring.prompt, scoring.prefix) = ([], [])
        let language = options.task == .translate ? "en" : decodingOptions.language ?? "en"
        return try misheard.corrected(result, language: language) { tokens, first, prompt in
            scoring.hotwords = prompt
            return try decoder.logprobs(of: tokens, from: first, in: window, options: scoring)
        }
    }

    private func isSilence(_ result: DecodingResult) -> Bool {
        fallback.judge.isSkipped(noSpeechProb: result.noSpeechProb, avgLogprob: result.avgLogprob)
    }

    /// Splits a result into segments, times its words where needed, and moves `position` to the next window.
    private mutating func segments(
        of heard: DecodingResult, in window: WindowSpan, holdsBack: Bool = true
    ) throws -> [TranscriptSegment] {
        let result = try withTerms(heard, in: window)
        let split = WindowSegments(
            tokens: result.tokens, span: window, tokenizer: tokenizer, unfinished: unfinished)
        var segments = split.segments
        // Without timestamps, only the words show how much of the window was transcribed.
        let needsWords = guards != nil && decodingOptions.withoutTimestamps
        let seeksByWords = options.wordTimestamps && options.whisper.seeksByWords || needsWords
        if options.wordTimestamps || needsWords { try align(&segments, window: window) }
        let wordEnds = try wordEnds(of: segments, split: split, window: window)
        let textEnd = segments.lastIndex { !$0.isBlank }.flatMap { wordEnds[$0] }
        let gaps = try decodeGaps(of: segments, in: window, to: window.seek + split.advance, after: textEnd)
        try leaveOutPauses(of: &segments, in: window)
        // Nothing below throws, so that after an error the window can be decoded again.
        position = window.seek + split.advance
        let isKept = seeksByWords ? applyWords(of: &segments, split: split, window: window) : true
        if !options.wordTimestamps, needsWords, window.seek + window.frames >= clipEnd,
            guards?.isOver(after: position, before: clipEnd) == true
        {
            position = window.seek + split.advance
        }
        if isKept, holdsBack { holdBack(&segments, window: window) }
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
        let keptEnd = segments.lastIndex { !$0.isBlank }.flatMap { wordEnds[$0] }
        var finished = finish(segments, of: result, window: window, gaps: gaps)
        let hasText = finished.contains { !$0.text.isEmpty } || guards?.hasMisplacedText == true
        if let next = guards?.missedSpeech(after: hasText ? keptEnd : nil, from: window.seek, to: position) {
            position = next
            history.reset()
            events.append(.guarded(.continuedAfterLastWord(at: Double(position) / 100)))
        }
        if options.ordersTimes {
            finished.putInOrder(from: window.start, to: Double(min(position, window.seek + window.frames)) / 100)
        }
        return finished
    }

    /// Gives segments that enclose a long pause the times of their words: models often let a sentence begin where the one
    /// before ended, or end where the next one begins.
    private mutating func leaveOutPauses(of segments: inout [WindowSegment], in window: WindowSpan) throws {
        guard let guards, segments.allSatisfy(\.timing.words.isEmpty) else { return }
        let enclosing = segments.indices.filter {
            !segments[$0].isBlank && guards.enclosesPause(segments[$0].timing)
        }
        guard !enclosing.isEmpty else { return }
        var aligned = segments
        try align(&aligned, window: window)
        var count = 0
        for index in enclosing {
            guard let first = aligned[index].timing.words.first, let last = aligned[index].timing.words.last else {
                continue
            }
            let times = segments[index].timing
            // The words beside a pause may be stretched over it.
            let start = max(times.start, first.end - Guards.longestWord, first.start)
            let end = min(times.end, last.start + Guards.longestWord, last.end)
            guard start < end, start > times.start || end < times.end else { continue }
            segments[index].timing.start = TimeRounding.hundredths(start)
            segments[index].timing.end = TimeRounding.hundredths(end)
            count += 1
        }
        if count > 0 { events.append(.guarded(.pausesLeftOut(count))) }
    }

    /// Decodes speech again that the segments of a window leave out.
    ///
    /// - Parameters:
    ///   - end: first frame of the next window.
    ///   - textEnd: where the text ends, in seconds; `nil` if that is unknown.
    private func decodeGaps(
        of segments: [WindowSegment], in window: WindowSpan, to end: Int, after textEnd: Double?
    ) throws -> [GapText] {
        guard let guards else { return [] }
        return try guards.gaps(in: window.seek..<end, around: segments, textEnd: textEnd).compactMap { gap in
            let part = WindowSpan(seek: gap.lowerBound, frames: gap.count, contentFrames: contentFrames)
            let result = try decoder.decode(part, options: promptlessOptions)
            guard isGood(result, of: part),
                guards.isNew(tokenizer.text(of: result.tokens), of: result, in: gap, beside: segments)
            else { return nil }
            var found = WindowSegments(tokens: result.tokens, span: part, tokenizer: tokenizer).segments
            if options.wordTimestamps { try align(&found, window: part) }
            for index in found.indices { _ = found[index].timing.clamp(to: Double(gap.upperBound) / 100) }
            guard found.allSatisfy({ $0.timing.start <= $0.timing.end }) else { return nil }
            return GapText(result: result, window: part, segments: found)
        }
    }

    /// Leaves the last segment to the next window if only a short rest of the clip follows.
    private mutating func holdBack(_ segments: inout [WindowSegment], window: WindowSpan) {
        let rest = position..<max(position, clipEnd)
        guard position > window.seek, let last = segments.last,
            let start = guards?.lastSentence(of: segments, before: rest, span: window)
        else { return }
        position = start
        segments.removeLast()
        events.append(.guarded(.heldBack(start: last.timing.start, end: last.timing.end, text: last.text)))
    }

    /// For each segment, where its text ends: according to the model, so that word timestamps do not change the text. If what
    /// follows may be decoded again, the words must not be heard later, or they would be written twice; `nil` if they are, but
    /// it is unknown where.
    private func wordEnds(
        of segments: [WindowSegment], split: WindowSegments, window: WindowSpan
    ) throws -> [Double?] {
        let ends = segments.map(\.originalTiming.end)
        guard let guards, let last = segments.lastIndex(where: { !$0.isBlank }),
            guards.missesSpeech(after: ends[last], to: window.seek + split.advance)
        else { return ends }
        var aligned = segments
        if aligned.allSatisfy(\.timing.words.isEmpty) { try align(&aligned, window: window) }
        var letters = ""
        return zip(aligned, ends).map { segment, end in
            letters += SpeakingRate.plain(segment.text)
            var end = end
            if let word = segment.timing.words.last {
                // A last word may be stretched over the pause after it.
                let heard = min(word.end, word.start + Guards.longestWord)
                if heard > end + 1 { end = heard }
            }
            return SpeakingRate.allows(letters, frames: TimeRounding.frame(at: end) - window.seek) ? end : nil
        }
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
            prepended: options.whisper.prependPunctuations, appended: options.whisper.appendPunctuations)
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
        if let threshold = options.whisper.hallucinationSilenceThreshold {
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

    /// The words of a segment; those with bytes that are not part of a whole character are decoded again, without them.
    ///
    /// - Parameter unfinished: the start of a character before the segment.
    private func transcriptWords(of segment: WindowSegment, after unfinished: [UInt8]) -> [TranscriptWord] {
        var pending = unfinished
        return segment.timing.words.compactMap { word in
            var text = word.word
            if text.unicodeScalars.contains("\u{FFFD}") {
                let bytes = pending + tokenizer.textBytes(of: word.tokens)
                text = UTF8Assembler.wholeCharacters(bytes)
                pending = Array(bytes.suffix(UTF8Assembler.incompleteLength(bytes)))
                if text.isEmpty { return nil }
            } else {
                pending = []
            }
            return TranscriptWord(word: text, start: word.start, end: word.end, probability: word.probability)
        }
    }

    /// Clears blank segments, numbers all of them and adds their ids to the history.
    private mutating func finish(
        _ segments: [WindowSegment], of result: DecodingResult, window: WindowSpan, gaps: [GapText]
    ) -> [TranscriptSegment] {
        var segments = segments
        if let measures = guards?.apply(to: &segments, of: result, span: window, next: position) {
            events += measures.map { .guarded($0) }
        }
        var parts = segments.map { ($0, result, window) }
        for gap in gaps where gap.end <= position {
            let index = parts.firstIndex { $0.0.timing.start >= gap.window.start } ?? parts.count
            parts.insert(contentsOf: gap.segments.map { ($0, gap.result, gap.window) }, at: index)
            let end = gap.window.start + gap.window.duration, text = gap.segments.map(\.text).joined()
            events.append(.guarded(.gapDecoded(start: gap.window.start, end: end, text: text)))
        }
        var unfinished = unfinished
        let finished = parts.enumerated().map { index, part in
            let (segment, result, window) = part
            let words = transcriptWords(of: segment, after: unfinished)
            unfinished = segment.unfinished
            let isBlank = segment.isBlank
            var transcribed = TranscriptSegment(
                id: segmentCount + index, seek: window.seek, start: segment.timing.start, end: segment.timing.end,
                text: isBlank ? "" : segment.text, tokens: isBlank ? [] : segment.tokens,
                temperature: result.temperature, avgLogprob: result.avgLogprob,
                compressionRatio: result.compressionRatio, noSpeechProb: result.noSpeechProb,
                words: isBlank ? [] : options.wordTimestamps ? words : nil)
            if options.multilingual { transcribed.language = decodingOptions.language }
            if options.tokenLogprobs {
                transcribed.tokenLogprobs = isBlank ? [] : result.logprobs[segment.range].map { Double($0) }
            }
            return transcribed
        }
        segmentCount += finished.count
        self.unfinished = unfinished
        text += finished.map(\.text).joined()
        history.append(finished.flatMap(\.tokens))
        if !options.whisper.conditionOnPreviousText || result.temperature > options.whisper.promptResetTemperature {
            history.reset()
        }
        if guards?.isLoop(with: finished.map(\.text)) == true {
            history.reset()
            events.append(.guarded(.promptCleared(text: finished.last { !$0.text.isEmpty }?.text ?? "")))
        }
        return finished
    }
}
