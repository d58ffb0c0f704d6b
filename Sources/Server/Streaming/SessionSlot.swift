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

/// The places of all streaming sessions, whatever their protocol.
package final class SessionSlots: Sendable {
    private let limit: Int
    private let idleTime: Double
    private let slots = Mutex<[ObjectIdentifier: SessionSlot]>([:])

    /// - Parameters:
    ///   - limit: maximum number of concurrent sessions.
    ///   - idleTime: seconds; a session without audio for this long ends when another client needs it.
    package init(limit: Int, idleTime: Double) {
        self.limit = limit
        self.idleTime = idleTime
    }

    /// Number of open sessions.
    package var count: Int { slots.withLock(\.count) }

    /// Takes a slot, if necessary that of the session that has been idle for the longest time; `nil` if all are busy.
    func enter() -> SessionSlot? {
        let slot = SessionSlot(time: idleTime)
        let (isAdmitted, evicted) = slots.withLock { slots -> (Bool, SessionSlot?) in
            var evicted: SessionSlot?
            if slots.count >= limit {
                evicted = slots.values.min { $0.idleAt < $1.idleAt }
                guard let evicted, evicted.idleAt <= .now else { return (false, nil) }
                slots[ObjectIdentifier(evicted)] = nil
            }
            slots[ObjectIdentifier(slot)] = slot
            return (true, evicted)
        }
        evicted?.evict()
        return isAdmitted ? slot : nil
    }

    func leave(_ slot: SessionSlot) { slots.withLock { $0[ObjectIdentifier(slot)] = nil } }
}
