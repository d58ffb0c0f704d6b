package import WhisperEngine

/// Whether recognition keeps up with the sound.
package struct LivePace: Sendable {
    /// Seconds behind from which the user should know.
    private static let lateSeconds = 5.0
    /// And not more often than this.
    private static let pause = 60.0

    private var lastWarning: Double?
    /// Where the lag began.
    private var start: (time: Double, decoded: Double)?

    package init() {}

    /// - Parameter time: seconds by any clock that goes on.
    /// - Returns: what to tell; `nil` mostly.
    package mutating func warning(_ status: SessionStatus, at time: Double) -> String? {
        guard status.lag > 1 else {
            start = nil
            return nil
        }
        let start = self.start ?? (time, status.decoded)
        self.start = start
        guard status.lag >= Self.lateSeconds, lastWarning.map({ time - $0 >= Self.pause }) ?? true else { return nil }
        lastWarning = time
        let factor = time > start.time ? (status.decoded - start.decoded) / (time - start.time) : 0
        return "recognition is \(ProgressLine.oneDecimal(status.lag)) s behind, at \(ProgressLine.oneDecimal(factor)) "
            + "times real time; a smaller model or a larger --step would keep up, what is final will be complete"
    }
}
