import Synchronization

/// A count that several tasks change.
final class SharedCount: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    var value: Int { count.withLock { $0 } }

    /// The count after the change.
    func add(_ change: Int) -> Int {
        count.withLock { count in
            count += change
            return count
        }
    }
}
