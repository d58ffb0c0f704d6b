/// Audio that was lost before it reached a live session. It takes up no session time.
public struct SessionGap: Sendable, Hashable {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A capture buffer overflowed.
        case overrun
        /// The capture device was disconnected.
        case deviceLost
    }

    /// Position of the gap in seconds, on the session's clock.
    public var clock: Double
    /// Seconds lost, as far as known.
    public var lost: Double
    public var reason: Reason

    package init(clock: Double, lost: Double, reason: Reason) {
        self.clock = clock
        self.lost = lost
        self.reason = reason
    }
}
