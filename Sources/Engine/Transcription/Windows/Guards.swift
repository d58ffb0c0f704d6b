/// Measures against invented text that go beyond the reference, and what they remember from window to window.
package struct Guards: Hashable, Sendable {
    /// A run of tokens so often in a row fails a window.
    package static let mostRepetitions = 6
    /// So many segments in a row with one text clear the prompt.
    private static let equalSegments = 3
    /// A window is no silence where so much of it is speech.
    private static let speechShare = 0.5
    /// Seconds.
    fileprivate static let shortestWord = 0.02
    /// Where the options have no threshold of their own.
    private static let noSpeechThreshold = 0.6
    /// Windows that are asked for the language, and how sure one must be to be the last.
    static let languageWindows = 3
    static let languageProbability = 0.5

    package let speech: SpeechIntervals
    private let prompts: Set<String>
    private let noSpeechThreshold: Double
    private var lastText = ""
    private var equalTexts = 0

    package init(speech: SpeechIntervals, options: TranscriptionOptions) {
        self.speech = speech
        prompts = Set(
            [options.initialPrompt, options.hotwords].compactMap { $0.map(Self.plain) }.filter { !$0.isEmpty })
        noSpeechThreshold = options.noSpeechThreshold ?? Self.noSpeechThreshold
    }

    /// The part of a window that is speech; `nil` where it is too little to contradict silence.
    func contradiction(to span: WindowSpan) -> Double? {
        let share = Self.share(speech.count(in: span.seek..<(span.seek + span.frames)), of: span.frames)
        return share >= Self.speechShare ? share : nil
    }

    /// Drops segments that repeat the prompt, and repairs times.
    mutating func apply(
        to segments: inout [WindowSegment], noSpeechProb: Double, span: WindowSpan
    ) -> [GuardMeasure] {
        var measures: [GuardMeasure] = []
        segments.removeAll { segment in
            guard isPrompt(segment, noSpeechProb: noSpeechProb) else { return false }
            measures.append(
                .promptDropped(start: segment.timing.start, end: segment.timing.end, text: segment.text))
            return true
        }
        var clamped = 0
        for index in segments.indices where segments[index].timing.clamp(to: span.contentDuration) { clamped += 1 }
        if clamped > 0 { measures.append(.timesClamped(clamped)) }
        let lengthened = lengthenWords(of: &segments, end: span.contentDuration)
        if lengthened > 0 { measures.append(.wordsLengthened(lengthened)) }
        return measures
    }

    /// Whether the prompt is to be cleared, its last segments being equal.
    mutating func isLoop(with texts: [String]) -> Bool {
        var isLoop = false
        for text in texts.map(WhiteSpace.strip) where !text.isEmpty {
            equalTexts = text == lastText ? equalTexts + 1 : 1
            lastText = text
            isLoop = equalTexts >= Self.equalSegments
        }
        return isLoop
    }

    /// Whether a segment is a prompt and there is hardly any speech, by the model or by the sound.
    private func isPrompt(_ segment: WindowSegment, noSpeechProb: Double) -> Bool {
        guard prompts.contains(Self.plain(segment.text)) else { return false }
        if noSpeechProb > noSpeechThreshold { return true }
        let start = TimeRounding.frame(at: segment.timing.start)
        let end = max(start, TimeRounding.frame(at: segment.timing.end))
        return Self.share(speech.count(in: start..<end), of: end - start) < Self.speechShare
    }

    /// - Returns: the number of words that were too short and had room beside them.
    private func lengthenWords(of segments: inout [WindowSegment], end: Double) -> Int {
        let places = segments.indices.flatMap { segment in
            segments[segment].timing.words.indices.map { (segment: segment, word: $0) }
        }
        var count = 0
        for (number, place) in places.enumerated() {
            var word = segments[place.segment].timing.words[place.word]
            guard word.end - word.start < Self.shortestWord else { continue }
            let before = number > 0 ? places[number - 1] : nil
            let after = number + 1 < places.count ? places[number + 1] : nil
            let room = after.map { segments[$0.segment].timing.words[$0.word].start } ?? end
            let floor = before.map { segments[$0.segment].timing.words[$0.word].end } ?? 0
            let old = word
            word.end = max(word.end, min(room, TimeRounding.hundredths(word.start + Self.shortestWord)))
            word.start = min(word.start, max(floor, TimeRounding.hundredths(word.end - Self.shortestWord)))
            guard word != old else { continue }
            count += 1
            segments[place.segment].timing.words[place.word] = word
            segments[place.segment].timing.start = min(segments[place.segment].timing.start, word.start)
            segments[place.segment].timing.end = max(segments[place.segment].timing.end, word.end)
        }
        return count
    }

    /// Letters and digits alone: models change case and marks of what they repeat.
    private static func plain(_ text: String) -> String {
        String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    private static func share(_ count: Int, of frames: Int) -> Double {
        frames > 0 ? Double(count) / Double(frames) : 0
    }
}

extension SegmentTiming {
    /// - Returns: whether something lay outside `0...end`.
    fileprivate mutating func clamp(to end: Double) -> Bool {
        func clamped(_ time: Double) -> Double { min(max(time, 0), end) }
        let old = self
        (start, self.end) = (clamped(start), clamped(self.end))
        // A segment without length would lose its text.
        if start == self.end, old.start < old.end { start = max(0, end - Guards.shortestWord) }
        for index in words.indices {
            words[index].start = clamped(words[index].start)
            words[index].end = clamped(words[index].end)
        }
        return self != old
    }
}
