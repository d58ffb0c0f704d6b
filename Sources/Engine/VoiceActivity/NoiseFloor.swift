/// Loudness of what is there while nobody speaks: the least of the smoothed levels of the last six seconds.
struct NoiseFloor: Sendable {
    /// Of each new level in the smoothed one.
    private static let share = 0.3
    /// Frames of a sub-block, half a second; its minimum is kept as one number.
    private static let blockFrames = 25
    private static let keptBlocks = 11
    /// Minima lie below the mean of noise by about so much.
    private static let bias = 1.0
    /// In the first second, which may begin with speech, no louder noise than this is believed.
    private static let firstFrames = 50
    private static let loudestAtFirst = -50.0
    private static let range = -75.0 ... -30.0

    private var smoothed: Double?
    private var least = Double.infinity
    private var blocks: [Double] = []
    private var frames = 0

    /// Takes the level of the next frame.
    ///
    /// - Returns: the noise in dB relative to full scale.
    mutating func hear(_ level: Double) -> Double {
        let now = smoothed.map { $0 + Self.share * (level - $0) } ?? level
        smoothed = now
        least = min(least, now)
        var noise = (blocks.min().map { min(least, $0) } ?? least) + Self.bias
        if frames < Self.firstFrames { noise = min(noise, Self.loudestAtFirst) }
        frames += 1
        if frames % Self.blockFrames == 0 {
            blocks.append(least)
            if blocks.count > Self.keptBlocks { blocks.removeFirst() }
            least = .infinity
        }
        return min(max(noise, Self.range.lowerBound), Self.range.upperBound)
    }
}
