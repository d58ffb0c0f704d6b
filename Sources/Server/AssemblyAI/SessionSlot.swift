import Synchronization

/// A client's place among the sessions that a server has at the same time.
///
/// Its session may be ended in favor of a waiting client if it had no audio for some time. Answers to pings and single
/// samples do not count: a second of audio counts for the whole time.
final class SessionSlot: Sendable {
    private struct State {
        /// When the session begins to count as idle.
        var idleAt: ContinuousClock.Instant
        var onEviction: (@Sendable () -> Void)?
    }

    private let time: Double
    private let state: Mutex<State>

    /// - Parameter time: seconds without audio.
    init(time: Double) {
        self.time = time
        state = Mutex(State(idleAt: .now + .seconds(time)))
    }

    var idleAt: ContinuousClock.Instant { state.withLock(\.idleAt) }

    /// Counts audio that was received.
    func heard(seconds: Double) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.idleAt = min(now + .seconds(time), max(state.idleAt, now) + .seconds(seconds * time))
        }
    }

    /// Sets what ends the session.
    func onEviction(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onEviction = action } }

    func evict() { state.withLock(\.onEviction)?() }
}
