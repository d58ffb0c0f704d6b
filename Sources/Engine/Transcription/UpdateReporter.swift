import EngineModels
import EngineTranscripts

/// Reports decoded windows as updates with times of the recording: volatile text while a window is decoded, then its
/// events, segments and position.
final class UpdateReporter {
    /// All segments so far, including those without text.
    private(set) var segments: [TranscriptSegment] = []
    /// Maps times to the recording.
    var times: OriginalTimes
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
    func report(_ window: DecodedWindow) {
        if isShowing { updates(.volatile(nil)) }
        isShowing = false
        if let found = window.language, found.code != language {
            language = found.code
            updates(.language(code: found.code, probability: found.probability))
        }
        for event in window.events { updates(.event(TranscriptUpdate.Event(times.restored(event)))) }
        for segment in window.segments {
            var segment = times.restored(segment)
            segment.id = segments.count
            segments.append(segment)
            if !segment.text.isEmpty { updates(.final(segment)) }
        }
    }

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
