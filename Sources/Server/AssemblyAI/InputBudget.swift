import Synchronization

/// Counts the bytes that have arrived but have not been processed yet, so that a flood cannot fill the memory.
final class InputBudget: Sendable {
    /// Processing a message takes less time than sending it, so only a client that floods the server reaches this.
    private static let limit = 16 << 20
    /// Bytes that a waiting message takes besides its own.
    private static let overhead = 256

    private let bytes = Atomic<Int>(0)

    /// - Returns: whether there is room for a message, which then counts.
    func admit(_ count: Int) -> Bool {
        let count = count + Self.overhead
        let total = bytes.add(count, ordering: .relaxed).newValue
        if total <= Self.limit { return true }
        bytes.subtract(count, ordering: .relaxed)
        return false
    }

    func release(_ count: Int) { bytes.subtract(count + Self.overhead, ordering: .relaxed) }
}
