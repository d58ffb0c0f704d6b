import Synchronization

/// A counter shared by several tasks.
final class SharedCount: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    var value: Int { count.withLock { $0 } }

    /// Adds to the count and returns the result.
    func add(_ change: Int) -> Int {
        count.withLock { count in
            count += change
            return count
        }
    }
}
