/// Tells a listener what a window seems to say while it is being decoded.
final class VolatileText {
    /// Id that the window's first segment will have.
    var nextId = 0
    private let tokenizer: Tokenizer
    private let times: OriginalTimes
    private let updates: @Sendable (TranscriptUpdate) -> Void
    private var lastShown: ContinuousClock.Instant?
    private var isShown = false

    /// More often than this nobody can read.
    private static let interval = Duration.milliseconds(40)

    init(tokenizer: Tokenizer, times: OriginalTimes, updates: @escaping @Sendable (TranscriptUpdate) -> Void) {
        self.tokenizer = tokenizer
        self.times = times
        self.updates = updates
    }

    func show(_ tokens: [Int], of window: MelWindow) {
        let now = ContinuousClock.now
        if let lastShown, now - lastShown < Self.interval { return }
        lastShown = now
        let text = tokenizer.decode(tokens)
        guard !text.isEmpty else { return }
        let start = times.restored(Double(window.seek) / 100)
        isShown = true
        updates(
            .volatile(
                TranscriptSegment(
                    id: nextId, seek: window.seek, start: start, end: start + Double(window.frames) / 100, text: text,
                    tokens: tokens, temperature: 0, avgLogprob: 0, compressionRatio: 0, noSpeechProb: 0)))
    }

    func clear() {
        if isShown { updates(.volatile(nil)) }
        isShown = false
    }
}
