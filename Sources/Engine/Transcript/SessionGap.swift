/// Sound that was lost before it reached the session. It takes no session time.
public struct SessionGap: Sendable, Hashable {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The system's buffer ran over.
        case overrun
        /// The microphone went away.
        case deviceLost
    }

    /// Where, in seconds on the session's clock.
    public var clock: Double
    /// Seconds lost, as far as known.
    public var lost: Double
    public var reason: Reason

    public init(clock: Double, lost: Double, reason: Reason) {
        self.clock = clock
        self.lost = lost
        self.reason = reason
    }
}
