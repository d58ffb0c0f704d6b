import Glibc

/// What times are measured in.
package enum Stopwatch: Sendable, Hashable {
    case elapsed
    /// The processor time of all threads of this process, which other load on the machine hardly changes.
    case processor

    private static let start = ContinuousClock.now

    /// Only differences have a meaning.
    package var now: Duration {
        switch self {
        case .elapsed: ContinuousClock.now - Self.start
        case .processor: .microseconds(clock())
        }
    }

    package func measure(_ body: () throws -> Void) rethrows -> Duration {
        let start = now
        try body()
        return now - start
    }
}
