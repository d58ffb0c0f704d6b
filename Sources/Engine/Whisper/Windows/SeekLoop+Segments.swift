import EngineBasics
import EngineModels
import EngineTranscripts

/// From the tokens of a window to the segments of the transcript.
extension SeekLoop {
    /// Splits a result into segments, times its words where needed, and moves `position` to the next window.
    mutating func segments(
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

    /// The result with the terms that were misheard.
    func withTerms(_ result: DecodingResult, in window: WindowSpan) throws -> DecodingResult {
        guard let misheard else { return result }
        var scoring = decodingOptions.at(temperature: 0)
        (scoring.prompt, scoring.prefix) = ([], [])
        let language = options.task == .translate ? "en" : decodingOptions.language ?? "en"
        return try misheard.corrected(result, language: language) { tokens, first, prompt in
            scoring.hotwords = prompt
            return try decoder.logprobs(of: tokens, from: first, in: window, options: scoring)
        }
    }

    /// Leaves the last segment to the next window if only a short rest of the clip follows.
    mutating func holdBack(_ segments: inout [WindowSegment], window: WindowSpan) {
        let rest = position..<max(position, clipEnd)
        guard position > window.seek, let last = segments.last,
            let start = guards?.lastSentence(of: segments, before: rest, span: window)
        else { return }
        position = start
        segments.removeLast()
        events.append(.guarded(.heldBack(start: last.timing.start, end: last.timing.end, text: last.text)))
    }

    /// Clears blank segments, numbers all of them and adds their ids to the history.
    mutating func finish(
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
