import Synchronization

/// Counts the bytes that have arrived but have not been processed yet, so that a flood cannot fill the memory.
final class InputBudget: Sendable {
    /// What becomes of a message.
    enum Verdict {
        case admitted
        /// It is admitted, but nothing more should be read before there is room.
        case last
        /// It is dropped, as the first one.
        case flooded
        case dropped
    }

    /// Processing a message takes less time than sending it, so only a client that floods the server reaches this.
    private static let limit = 16 << 20
    /// Bytes that a waiting message takes besides its own.
    private static let overhead = 256

    private let bytes = Atomic(0)
    private let isFlooded = Atomic(false)
    private let isPaused = Atomic(false)
    private let limit: Int
    /// Bytes above which the connection is not read; `nil` if it always is.
    private let pause: Int?

    /// - Parameters:
    ///   - pause: bytes above which the connection is to be read no more; `nil` to drop messages instead.
    ///   - maxMessage: bytes of a message.
    init(pausingAt pause: Int? = nil, maxMessage: Int = 0) {
        self.pause = pause
        // Several messages may have been read before the connection is paused.
        limit = pause.map { $0 + 4 * maxMessage } ?? Self.limit
    }

    /// Counts a message if there is room for it.
    func admit(_ count: Int) -> Verdict {
        let count = count + Self.overhead
        let total = bytes.add(count, ordering: .relaxed).newValue
        if total <= limit { return pause.map { total > $0 } == true ? .last : .admitted }
        bytes.subtract(count, ordering: .relaxed)
        return isFlooded.exchange(true, ordering: .relaxed) ? .dropped : .flooded
    }

    func release(_ count: Int) { bytes.subtract(count + Self.overhead, ordering: .relaxed) }

    /// The connection is not read any more.
    func paused() { isPaused.store(true, ordering: .sequentiallyConsistent) }

    /// Reads the connection only while there is room.
    ///
    /// - Parameter isBehind: whether so much else is waiting that there is none.
    func regulate(_ connection: any WebSocketConnection, isBehind: Bool) {
        guard let pause else { return }
        if isBehind || bytes.load(ordering: .relaxed) > pause {
            guard !isPaused.load(ordering: .sequentiallyConsistent) else { return }
            connection.setReading(false)
            paused()
        } else if isPaused.exchange(false, ordering: .sequentiallyConsistent) {
            connection.setReading(true)
        }
    }
}
