/// The status of a live session.
public struct SessionStatus: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, CaseIterable {
        case idle, listening, paused, draining, stopped, failed
    }

    public var state: State
    /// Seconds of audio accepted, on the session's clock.
    public var clock: Double
    /// Seconds of audio decoded.
    public var decoded: Double
    /// Seconds of speech waiting to be decoded.
    public var lag: Double
    /// Level of the last 100 ms in dB relative to full scale; `nil` before the first audio.
    public var levelDBFS: Double?
    /// Whether speech is being detected.
    public var speech: Bool
    /// Number of samples lost before they reached the session.
    public var droppedSamples: Int
    /// Name of the capture device; `nil` for a file.
    public var device: String?
    /// Number of finals that the session's journal could not write yet.
    public var unsaved: Int
    /// Why the journal could not write them.
    package var saveProblem: String?
    /// Whether the capture device is disconnected and awaited.
    package var isDeviceLost: Bool

    package init(
        state: State, clock: Double, decoded: Double, lag: Double, levelDBFS: Double? = nil, speech: Bool = false,
        droppedSamples: Int = 0, device: String? = nil, unsaved: Int = 0, saveProblem: String? = nil,
        isDeviceLost: Bool = false
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
        self.saveProblem = saveProblem
        self.isDeviceLost = isDeviceLost
    }
}
