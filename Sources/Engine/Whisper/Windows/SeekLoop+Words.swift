import EngineBasics
import EngineModels
import EngineTranscripts

/// What the words of a window, or the model's timestamps, say about times.
extension SeekLoop {
    /// Assigns words to the segments.
    func align(_ segments: inout [WindowSegment], window: WindowSpan) throws {
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

    /// Gives segments that enclose a long pause the times of their words: models often let a sentence begin where the one
    /// before ended, or end where the next one begins.
    mutating func leaveOutPauses(of segments: inout [WindowSegment], in window: WindowSpan) throws {
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

    /// For each segment, where its text ends: according to the model, so that word timestamps do not change the text. If what
    /// follows may be decoded again, the words must not be heard later, or they would be written twice; `nil` if they are, but
    /// it is unknown where.
    func wordEnds(
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

    /// Uses the words to choose the start of the next window and to drop hallucinations.
    ///
    /// - Returns: false if the whole window is to be dropped.
    mutating func applyWords(
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
    static func lastEnd(of segments: [WindowSegment]) -> Double? {
        segments.last { !$0.timing.words.isEmpty }?.timing.words.last?.end ?? segments.last?.timing.end
    }

    /// The words of a segment; those with bytes that are not part of a whole character are decoded again, without them.
    ///
    /// - Parameter unfinished: the start of a character before the segment.
    func transcriptWords(of segment: WindowSegment, after unfinished: [UInt8]) -> [TranscriptWord] {
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
}
