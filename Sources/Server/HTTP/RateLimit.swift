/// Limits how often a client may do something: `burst` times at once, and `rate` times a second in the long run.
package struct RateLimit: Sendable {
    private let rate: Double
    private let burst: Double
    private var level = 0.0
    private var last = ContinuousClock.now

    package init(rate: Double, burst: Int) {
        self.rate = rate
        self.burst = Double(burst)
    }

    /// For what clients do without sending audio. A client sends a few such messages a minute.
    package static let control = RateLimit(rate: 200, burst: 2000)

    /// Counts once more.
    ///
    /// - Returns: whether the client is within the limit.
    package mutating func count(at now: ContinuousClock.Instant = .now) -> Bool {
        level = max(0, level - (now - last) / .seconds(1) * rate) + 1
        last = now
        return level <= burst
    }
}
