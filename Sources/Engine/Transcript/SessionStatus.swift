/// How a live session is doing.
public struct SessionStatus: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, CaseIterable {
        case idle, listening, paused, draining, stopped, failed
    }

    public var state: State
    /// Seconds of sound accepted, on the session's clock.
    public var clock: Double
    /// Seconds decoded.
    public var decoded: Double
    /// Seconds of speech waiting to be decoded.
    public var lag: Double
    /// Loudness of the last 100 ms, dB relative to full scale; `nil` before the first sound.
    public var levelDBFS: Double?
    /// Whether somebody speaks.
    public var speech: Bool
    /// Samples lost before they reached the session.
    public var droppedSamples: Int
    /// The microphone, `nil` for a file.
    public var device: String?
    /// Finals that the session's journal could not write yet.
    public var unsaved: Int

    public init(
        state: State, clock: Double, decoded: Double, lag: Double, levelDBFS: Double? = nil, speech: Bool = false,
        droppedSamples: Int = 0, device: String? = nil, unsaved: Int = 0
    ) {
        self.state = state
        self.clock = clock
        self.decoded = decoded
        self.lag = lag
        self.levelDBFS = levelDBFS
        self.speech = speech
        self.droppedSamples = droppedSamples
        self.device = device
        self.unsaved = unsaved
    }
}
