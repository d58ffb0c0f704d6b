import EngineTranscripts
import EngineWeights
import EngineWhisper

/// Reports decoded windows as updates with times of the recording: volatile text while a window is decoded, then its
/// events, segments and position.
final class UpdateReporter {
    /// All segments so far, including those without text.
    private(set) var segments: [TranscriptSegment] = []
    /// Maps times to the recording.
    var times: OriginalTimes

    private let tokenizer: Tokenizer
    private let updates: @Sendable (TranscriptUpdate) -> Void
    private var lastShown: ContinuousClock.Instant?
    private var isShowing = false

    /// Minimum interval between two volatile texts.
    private static let interval = Duration.milliseconds(40)

    init(tokenizer: Tokenizer, times: OriginalTimes, updates: @escaping @Sendable (TranscriptUpdate) -> Void) {
        self.tokenizer = tokenizer
        self.times = times
        self.updates = updates
    }

    /// Reports the text that a window is likely to contain while it is being decoded.
    func showVolatile(_ tokens: [Int], of window: WindowSpan) {
        let now = ContinuousClock.now
        if let lastShown, now - lastShown < Self.interval { return }
        lastShown = now
        let text = tokenizer.text(of: tokens)
        guard !text.isEmpty else { return }
        let start = times.restored(window.start)
        var segment = TranscriptSegment(
            id: segments.count, seek: window.seek, start: start, end: start + window.duration, text: text,
            tokens: tokens, temperature: 0, avgLogprob: 0, compressionRatio: 0, noSpeechProb: 0)
        segment.isFinal = false
        isShowing = true
        updates(.volatile(segment))
    }

    /// Reports the events and the segments of a decoded window; segments without text are not reported.
    func report(_ window: [TranscriptSegment], events: [WindowEvent]) {
        if isShowing { updates(.volatile(nil)) }
        isShowing = false
        for event in events { updates(.event(TranscriptUpdate.Event(times.restored(event)))) }
        for segment in window {
            var segment = times.restored(segment)
            segment.id = segments.count
            segments.append(segment)
            if !segment.text.isEmpty { updates(.final(segment)) }
        }
    }

    /// Reports a position and the length of the recording in seconds.
    func report(position: Double, duration: Double?) {
        updates(.progress(position: position, duration: duration))
    }
}
