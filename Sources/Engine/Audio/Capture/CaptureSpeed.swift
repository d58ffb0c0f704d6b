/// How fast a recording is played.
public struct PlaybackSpeed: Sendable, Equatable {
    /// Times the speed at which it was spoken; `nil`: as fast as it is listened to.
    let factor: Double?

    /// Factors that make sense; beyond them a block of 20 ms would last longer than a user waits, or no time at all.
    public static let range = 0.01...1000.0

    /// As it was spoken.
    public static let realTime = PlaybackSpeed(factor: 1)
    /// As fast as it is listened to.
    public static let unlimited = PlaybackSpeed(factor: nil)

    /// - Returns: `nil` beyond `range`.
    public init?(_ factor: Double) {
        guard Self.range.contains(factor) else { return nil }
        self.factor = factor
    }

    private init(factor: Double?) { self.factor = factor }
}
