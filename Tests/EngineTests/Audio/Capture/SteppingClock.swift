import Synchronization

/// A clock on which sleeping takes no time: it advances to when the sleeper wants to wake up.
final class SteppingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        func duration(to other: Self) -> Duration { other.offset - offset }
        static func < (a: Self, b: Self) -> Bool { a.offset < b.offset }
    }

    private let time = Mutex(Duration.zero)

    var now: Instant { Instant(offset: time.withLock { $0 }) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline.offset) }
        await Task.yield()
    }

    /// Advances the clock.
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}
