import EngineModels
import EngineTranscripts
import EngineVoices

/// The text of speech that the segments of a window leave out. Models often skip what is much quieter than the rest.
struct GapText: Sendable {
    let result: DecodingResult
    /// The gap.
    let window: WindowSpan
    let segments: [WindowSegment]

    /// First frame after the gap.
    var end: Int { window.seek + window.frames }
}

extension Guards {
    /// Gaps with fewer frames of speech than this may be due to times that are only approximate.
    private static let minSpeech = 100

    /// The gaps between the segments of a window, and before and after them, that contain speech.
    ///
    /// - Parameters:
    ///   - window: frames up to the next window, according to the model.
    ///   - textEnd: where the text of the window ends, in seconds; `nil` if that is unknown.
    func gaps(in window: Range<Int>, around segments: [WindowSegment], textEnd: Double?) -> [Range<Int>] {
        let texts = segments.filter { !$0.isBlank }
        if texts.isEmpty { return [] }
        var gaps: [Range<Int>] = []
        var start = window.lowerBound
        for segment in texts {
            let end = min(TimeRounding.frame(at: segment.originalTiming.start), window.upperBound)
            if start < end { gaps.append(start..<end) }
            start = max(start, TimeRounding.frame(at: segment.originalTiming.end))
        }
        // With more speech after the text, the next window starts there, but not twice in a row.
        let next = min(start + Self.speechTolerance, window.upperBound)
        let isShort = speech.count(in: next..<window.upperBound) < Self.missedSpeech
        let end = isShort ? start : isContinued ? textEnd.map { max(start, TimeRounding.frame(at: $0)) } : nil
        if let end, end < window.upperBound { gaps.append(end..<window.upperBound) }
        return gaps.map(withoutNeighbors).filter { speech.count(in: $0) >= Self.minSpeech }
    }

    /// A gap without speech that belongs to the text beside it: the model's times are up to a second off.
    private func withoutNeighbors(_ gap: Range<Int>) -> Range<Int> {
        var (start, end) = (gap.lowerBound, gap.upperBound)
        for range in speech.ranges where range.overlaps(gap) {
            if range.lowerBound <= gap.lowerBound, range.upperBound < gap.lowerBound + Self.speechTolerance {
                start = range.upperBound
            }
            if range.upperBound >= gap.upperBound, range.lowerBound > gap.upperBound - Self.speechTolerance {
                end = range.lowerBound
            }
        }
        return start..<max(start, end)
    }

    /// Whether a gap's text is probable, can be said there and does not repeat what stands beside it.
    func isNew(
        _ text: String, of result: DecodingResult, in gap: Range<Int>, beside segments: [WindowSegment]
    ) -> Bool {
        guard !SpeakingRate.plain(text).isEmpty, result.avgLogprob >= TextThresholds.sureLogprob,
            !judge.lacksSpeech(result.noSpeechProb),
            SpeakingRate.allows(SpeakingRate.plain(text), frames: gap.count)
        else { return false }
        let middle = Double(gap.lowerBound + gap.upperBound) / 200
        let texts = segments.filter { !$0.isBlank }
        let neighbors = [
            texts.last { $0.originalTiming.start < middle }, texts.first { $0.originalTiming.start >= middle },
        ]
        return !neighbors.contains { $0.map { Self.repeats(text, $0.text) } ?? false }
    }

    /// Whether a text is part of another, or shares a run of half its words with it.
    private static func repeats(_ text: String, _ other: String) -> Bool {
        func words(_ text: String) -> [String] {
            text.split(whereSeparator: \.isWhitespace).map { SpeakingRate.plain(String($0)) }.filter { !$0.isEmpty }
        }
        let (own, others) = (words(text), words(other))
        if SpeakingRate.plain(other).contains(SpeakingRate.plain(text)) { return true }
        let half = (own.count + 1) / 2
        return (0...(own.count - half)).contains { start in
            others.indices.contains { others[$0...].starts(with: own[start..<(start + half)]) }
        }
    }
}
