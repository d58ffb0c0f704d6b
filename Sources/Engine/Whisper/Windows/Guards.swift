import EngineBasics
package import EngineModels
import EngineTranscripts
package import EngineVoices

/// Measures against hallucinated text that go beyond the reference, with their state from window to window.
package struct Guards: Hashable, Sendable {
    /// This many segments in a row with the same text clear the prompt.
    private static let equalSegments = 3
    /// A window with at least this share of speech, and not just a little, is not silence.
    private static let minSpeechShare = 0.5
    /// Silence of this many frames of 10 ms is skipped.
    private static let longSilence = 300
    /// Speech of this many frames without text is decoded again.
    static let missedSpeech = 300
    /// The same after a text that was cut before its repetition.
    private static let cutSpeech = 200
    /// How far a segment may be from speech, in frames: its times are only approximate.
    static let speechTolerance = 100
    /// A segment with fewer frames of speech near it than this, and less than this share of its length, is kept only if
    /// it is probable.
    private static let (littleSpeech, littleShare) = (100, 0.15)
    /// In seconds.
    fileprivate static let minWordDuration = 0.02
    /// Longer words are probably stretched over a pause, in seconds.
    static let longestWord = 1.0
    /// How many segments are remembered to recognize repetitions.
    private static let recentSegments = 8
    /// A rest of a clip with fewer frames than this, but at least this many of speech, is decoded together with the
    /// sentence before it, if the two are at most this long.
    private static let (shortRest, restSpeech, longestRest) = (300, 20, 1500)
    /// Maximum number of windows used to detect the language.
    package static let languageWindows = 3
    /// Frames of speech that show the language as well as more would.
    package static let languageSpeech = 200
    /// The probability at which language detection stops early.
    package static let languageProbability = 0.5

    package let speech: SpeechIntervals
    private let prompts: Set<String>
    let judge: TextJudge
    private var lastText = ""
    private var equalTexts = 0
    /// Whether the window starts where the text of the one before ended.
    private(set) var isContinued = false
    /// Whether a segment of the last window was dropped because the next window hears it, too.
    private(set) var hasMisplacedText = false
    /// Letters and digits of the last segments.
    private var recentTexts: [String] = []

    package init(speech: SpeechIntervals, options: TranscriptionOptions) {
        self.speech = speech
        prompts = Set(
            [options.whisper.initialPrompt, options.whisper.hotwords].compactMap { $0.map(SpeakingRate.plain) }.filter {
                !$0.isEmpty
            })
        judge = TextJudge(options.whisper).complete
    }

    /// Where to continue after a long silence: shortly before the next speech, or at `end`. A window that begins with silence
    /// often repeats the last sentence.
    func endOfSilence(from frame: Int, to end: Int) -> Int? {
        guard let next = speech.firstSpeech(from: frame), next < end else { return end }
        return next - frame >= Self.longSilence ? next - Self.speechTolerance : nil
    }

    /// Where to continue after a window whose text ends long before its speech: at the end of the text. Never twice in a row,
    /// so that a recording in which music counts as speech takes at most three times the time.
    ///
    /// - Parameters:
    ///   - seconds: end of the text; `nil` if there is none.
    ///   - start: first frame of the window.
    ///   - end: first frame of the next window according to the model.
    mutating func missedSpeech(after seconds: Double?, from start: Int, to end: Int) -> Int? {
        let next = seconds.flatMap { continuation(after: $0, from: start, to: end) }
        isContinued = next != nil
        return next
    }

    /// Where the next window would start if the text ends at `seconds`; `nil` if no speech is missed.
    func continuation(after seconds: Double, from start: Int, to end: Int) -> Int? {
        let textEnd = TimeRounding.frame(at: seconds)
        return !isContinued && textEnd > start && missesSpeech(after: seconds, to: end) ? textEnd : nil
    }

    /// Whether a text that ends at `seconds` leaves out speech before `end`.
    func missesSpeech(after seconds: Double, to end: Int) -> Bool {
        let next = min(TimeRounding.frame(at: seconds) + Self.speechTolerance, end)
        return speech.count(in: next..<end) >= Self.missedSpeech
    }

    /// Whether frames that have no text have enough speech to decode them once more.
    func missesSpeech(in frames: Range<Int>) -> Bool { speech.count(in: frames) >= Self.cutSpeech }

    /// Whether what follows the last word of a clip has too little speech for a window of its own, in which a model would
    /// invent a word or two.
    func isOver(after word: Int, before end: Int) -> Bool {
        speech.count(in: min(word + Self.speechTolerance, end)..<end) < Self.restSpeech
    }

    /// Where the last sentence of a window starts if only a short rest of the clip follows: a few words alone, cut off from
    /// their sentence, are rarely understood.
    ///
    /// - Parameter rest: frames from the next window according to the model to the end of the clip.
    func lastSentence(of segments: [WindowSegment], before rest: Range<Int>, span: WindowSpan) -> Int? {
        guard (1..<Self.shortRest).contains(rest.count), speech.count(in: rest) >= Self.restSpeech,
            let last = segments.last, !last.isBlank, segments.dropLast().contains(where: { !$0.isBlank })
        else { return nil }
        let start = TimeRounding.frame(at: min(last.timing.start, last.originalTiming.start))
        return start > span.seek && rest.upperBound - start <= Self.longestRest ? start : nil
    }

    /// The share of a window that is speech; `nil` if it is too small to rule out silence.
    func significantSpeech(in span: WindowSpan) -> Double? {
        let count = speech.count(in: span.seek..<(span.seek + span.frames))
        let share = Self.share(count, of: span.frames)
        return count >= Self.littleSpeech && share >= Self.minSpeechShare ? share : nil
    }

    /// Corrects times, and drops segments that are far from any speech, are spoken only after a pause or repeat the prompt.
    ///
    /// - Parameter next: first frame of the next window according to the model.
    mutating func apply(
        to segments: inout [WindowSegment], of result: DecodingResult, span: WindowSpan, next: Int
    ) -> [GuardMeasure] {
        var measures: [GuardMeasure] = []
        var clamped = 0
        for index in segments.indices where segments[index].timing.clamp(to: span.contentDuration) { clamped += 1 }
        if clamped > 0 { measures.append(.timesClamped(clamped)) }
        let stretched = stretchSegments(&segments, span: span)
        if stretched > 0 { measures.append(.timesLengthened(stretched)) }
        if let last = segments.last, isMisplaced(last, span: span, next: next) {
            measures.append(.misplacedDropped(start: last.timing.start, end: last.timing.end, text: last.text))
            segments.removeLast()
            hasMisplacedText = true
        } else {
            hasMisplacedText = false
        }
        segments.removeAll { segment in
            let (start, end, text) = (segment.timing.start, segment.timing.end, segment.text)
            let frames = Self.frames(of: segment, end: span.contentDuration)
            if isPrompt(segment, frames: frames, noSpeechProb: result.noSpeechProb) {
                measures.append(.promptDropped(start: start, end: end, text: text))
            } else if !WhiteSpace.strip(text).isEmpty,
                isInvented(segment, frames: frames, avgLogprob: result.avgLogprob)
            {
                measures.append(.inventionDropped(start: start, end: end, text: text))
            } else {
                recentTexts = (recentTexts + [SpeakingRate.plain(text)]).suffix(Self.recentSegments)
                return false
            }
            return true
        }
        let lengthened = lengthenWords(of: &segments, end: span.contentDuration)
        if lengthened > 0 { measures.append(.wordsLengthened(lengthened)) }
        return measures
    }

    /// Adds the texts of new segments.
    ///
    /// - Returns: whether the last segments have the same text, so that the prompt must be cleared.
    mutating func isLoop(with texts: [String]) -> Bool {
        var isLoop = false
        for text in texts.map(WhiteSpace.strip) where !text.isEmpty {
            equalTexts = text == lastText ? equalTexts + 1 : 1
            lastText = text
            isLoop = equalTexts >= Self.equalSegments
        }
        return isLoop
    }

    /// Whether a segment repeats a prompt where there is hardly any speech according to the model or the audio.
    private func isPrompt(_ segment: WindowSegment, frames: Range<Int>, noSpeechProb: Double) -> Bool {
        guard prompts.contains(SpeakingRate.plain(segment.text)) else { return false }
        if judge.lacksSpeech(noSpeechProb) { return true }
        return Self.share(speech.count(in: frames), of: frames.count) < Self.minSpeechShare
    }

    /// Whether a segment has no speech near it, or hardly any and the model is unsure, or repeats an earlier one without
    /// enough speech for that.
    private func isInvented(_ segment: WindowSegment, frames: Range<Int>, avgLogprob: Double) -> Bool {
        let near = (frames.lowerBound - Self.speechTolerance)..<(frames.upperBound + Self.speechTolerance)
        let count = speech.count(in: near)
        let isLittle = count < Self.littleSpeech && Self.share(count, of: frames.count) < Self.littleShare
        return count == 0 || isLittle && avgLogprob < TextThresholds.sureLogprob
            || isEcho(SpeakingRate.plain(segment.text), frames: speech.count(in: frames))
    }

    /// Whether a text repeats a recent one without enough speech to say it again.
    private func isEcho(_ text: String, frames: Int) -> Bool {
        recentTexts.contains(text) && !SpeakingRate.allows(text, frames: frames)
    }

    /// Whether the last segment of a window is not spoken at its times, but after a long silence, where the next window hears
    /// it, too. Models often give the start of such a sentence the time at which the one before ended.
    private func isMisplaced(_ segment: WindowSegment, span: WindowSpan, next: Int) -> Bool {
        let text = SpeakingRate.plain(segment.text), frames = Self.frames(of: segment, end: span.contentDuration)
        let next = continuation(after: segment.originalTiming.end, from: span.seek, to: next) ?? next
        guard !SpeakingRate.allows(text, frames: speech.count(in: frames)),
            let start = speech.firstSpeech(from: frames.upperBound), start >= next,
            start - frames.upperBound >= Self.longSilence, start < span.seek + span.frames
        else { return false }
        return SpeakingRate.allows(text, frames: speech.count(in: start..<span.seek + span.frames))
    }

    /// Whether there is a long silence between the start and the end of a segment.
    func enclosesPause(_ timing: SegmentTiming) -> Bool {
        let start = TimeRounding.frame(at: timing.start)
        let frames = start..<max(start, TimeRounding.frame(at: timing.end))
        var end = frames.lowerBound
        for range in speech.ranges where range.overlaps(frames) {
            if range.lowerBound - end >= Self.longSilence { return true }
            end = max(end, range.upperBound)
        }
        return frames.upperBound - end >= Self.longSilence
    }

    /// Lengthens segments whose text cannot be spoken in their time, up to the next segment or the end of the window.
    ///
    /// - Returns: the number of segments changed.
    private func stretchSegments(_ segments: inout [WindowSegment], span: WindowSpan) -> Int {
        var count = 0
        for index in segments.indices where segments[index].timing.words.isEmpty && !segments[index].isBlank {
            let timing = segments[index].timing, text = SpeakingRate.plain(segments[index].text)
            guard !SpeakingRate.allows(text, frames: TimeRounding.frame(at: timing.end - timing.start)) else {
                continue
            }
            let next = index + 1 < segments.count ? segments[index + 1].timing.start : span.start + span.duration
            let end = min(
                next, span.contentDuration,
                TimeRounding.hundredths(timing.start + Double(text.count) / SpeakingRate.usual))
            guard end > timing.end else { continue }
            segments[index].timing.end = end
            count += 1
        }
        return count
    }

    /// According to the model, so that word timestamps do not change the text.
    private static func frames(of segment: WindowSegment, end: Double) -> Range<Int> {
        var timing = segment.originalTiming
        _ = timing.clamp(to: end)
        let start = TimeRounding.frame(at: timing.start)
        return start..<max(start, TimeRounding.frame(at: timing.end))
    }

    /// Lengthens words that are too short, as far as their neighbors leave room.
    ///
    /// - Returns: the number of words changed.
    private func lengthenWords(of segments: inout [WindowSegment], end: Double) -> Int {
        let indices = segments.indices.flatMap { segment in
            segments[segment].timing.words.indices.map { (segment: segment, word: $0) }
        }
        var count = 0
        for (number, index) in indices.enumerated() {
            var word = segments[index.segment].timing.words[index.word]
            guard word.end - word.start < Self.minWordDuration else { continue }
            let before = number > 0 ? indices[number - 1] : nil
            let after = number + 1 < indices.count ? indices[number + 1] : nil
            let latest = after.map { segments[$0.segment].timing.words[$0.word].start } ?? end
            let earliest = before.map { segments[$0.segment].timing.words[$0.word].end } ?? 0
            let old = word
            word.end = max(word.end, min(latest, TimeRounding.hundredths(word.start + Self.minWordDuration)))
            word.start = min(word.start, max(earliest, TimeRounding.hundredths(word.end - Self.minWordDuration)))
            guard word != old else { continue }
            count += 1
            segments[index.segment].timing.words[index.word] = word
            segments[index.segment].timing.start = min(segments[index.segment].timing.start, word.start)
            segments[index.segment].timing.end = max(segments[index.segment].timing.end, word.end)
        }
        return count
    }

    private static func share(_ count: Int, of frames: Int) -> Double {
        frames > 0 ? Double(count) / Double(frames) : 0
    }
}

extension SegmentTiming {
    /// Limits all times to `0...end`.
    ///
    /// - Returns: whether any time changed.
    mutating func clamp(to end: Double) -> Bool {
        func clamped(_ time: Double) -> Double { min(max(time, 0), end) }
        let old = self
        (start, self.end) = (clamped(start), clamped(self.end))
        // A segment of zero length would lose its text.
        if start == self.end, old.start < old.end { start = max(0, end - Guards.minWordDuration) }
        for index in words.indices {
            words[index].start = clamped(words[index].start)
            words[index].end = clamped(words[index].end)
        }
        return self != old
    }
}

extension SpeechIntervals {
    /// An utterance with fewer frames of speech does not show its language.
    private static let shortUtterance = 150

    /// The utterances in a window, each with the pause after it. Several short ones count as one.
    func utterances(in window: Range<Int>) -> [Range<Int>] {
        var starts: [Int] = []
        var count = Self.shortUtterance
        for range in ranges.map({ $0.clamped(to: window) }) where !range.isEmpty {
            if count >= Self.shortUtterance {
                starts.append(range.lowerBound)
                count = 0
            }
            count += range.count
        }
        if starts.count > 1, count < Self.shortUtterance { starts.removeLast() }
        return starts.indices.map { starts[$0]..<($0 + 1 < starts.count ? starts[$0 + 1] : window.upperBound) }
    }
}
