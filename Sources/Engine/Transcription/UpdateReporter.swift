import EngineModels
import EngineTranscripts

/// Reports decoded windows as updates with times of the recording: volatile text while a window is decoded, then its
/// events, segments and position.
final class UpdateReporter {
    /// All segments so far, including those without text.
    private(set) var segments: [TranscriptSegment] = []
    /// Maps times to the recording.
    var times: OriginalTimes
    /// Where a detector heard speech, whose ends the times of words before and after pauses move to; `nil` keeps the model's.
    var speech: SpeechSnapping?
    /// The code of the language reported last, or given.
    var language: String?

    private let spelling: any TokenSpelling
    private let updates: @Sendable (TranscriptUpdate) -> Void
    private var lastShown: ContinuousClock.Instant?
    private var isShowing = false

    /// Minimum interval between two volatile texts.
    private static let interval = Duration.milliseconds(40)

    init(spelling: any TokenSpelling, times: OriginalTimes, updates: @escaping @Sendable (TranscriptUpdate) -> Void) {
        self.spelling = spelling
        self.times = times
        self.updates = updates
    }

    /// Reports the text that a window is likely to contain while it is being decoded.
    func showVolatile(_ likely: LikelyTokens) {
        let now = ContinuousClock.now
        if let lastShown, now - lastShown < Self.interval { return }
        lastShown = now
        let text = spelling.text(of: likely.tokens)
        guard !text.isEmpty else { return }
        let start = times.restored(likely.start)
        var segment = TranscriptSegment(
            id: segments.count, seek: likely.seek, start: start, end: start + likely.duration, text: text,
            tokens: likely.tokens, avgLogprob: 0)
        segment.isFinal = false
        isShowing = true
        updates(.volatile(segment))
    }

    /// Reports the events and the segments of a decoded window; segments without text are not reported.
    ///
    /// - Parameter place: where no other window has segments, in seconds of the recording.
    func report(_ window: DecodedWindow, in place: ClosedRange<Double>) {
        if isShowing { updates(.volatile(nil)) }
        isShowing = false
        if let found = window.language, found.code != language {
            language = found.code
            updates(.language(code: found.code, probability: found.probability))
        }
        for event in window.events { updates(.event(TranscriptUpdate.Event(times.restored(event)))) }
        var restored = window.segments.map { times.restored($0) }
        speech?.snapTimes(ofWordsIn: &restored, place)
        for var segment in restored {
            segment.id = segments.count
            segments.append(segment)
            if !segment.text.isEmpty { updates(.final(segment)) }
        }
    }

    /// Reports where speech has been heard, before the segments in it.
    func report(speech: [TranscriptSpan]) { updates(.event(TranscriptUpdate.Event(.heard(speech)))) }

    /// The language of most speech; `nil` if the segments do not have their own.
    var mainLanguage: String? {
        var seconds: [String: Double] = [:]
        for segment in segments where !segment.text.isEmpty {
            if let language = segment.language { seconds[language, default: 0] += segment.end - segment.start }
        }
        return seconds.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// Reports a position and the length of the recording in seconds.
    func report(position: Double, duration: Double?) {
        updates(.progress(position: position, duration: duration))
    }
}

extension SpeechSnapping {
    /// Moves words and with them the ends of their segments, to milliseconds.
    fileprivate func snapTimes(ofWordsIn segments: inout [TranscriptSegment], _ window: ClosedRange<Double>) {
        func rounded(_ time: Double) -> Double { (time * 1000).rounded(.toNearestOrEven) / 1000 }
        snapWords(of: &segments, in: window)
        for index in segments.indices {
            guard let words = segments[index].words, !words.isEmpty else { continue }
            segments[index].words = words.map { word in
                var word = word
                (word.start, word.end) = (rounded(word.start), rounded(word.end))
                return word
            }
            segments[index].start = segments[index].words?.first?.start ?? segments[index].start
            segments[index].end = segments[index].words?.last?.end ?? segments[index].end
        }
    }
}
