/// Estimates the sound lost where a stream of bare frames (MP3, ADTS, AC-3: no container, no timestamps) is damaged.
///
/// Readers of such streams look for the next frame's mark. What they pass over they either drop or hang onto the frame
/// before; both show in the number of bytes, and bytes are time at the mean size of the frames so far.
package struct FrameGauge {
    /// Bytes that no whole frame of the coding has more of.
    private let largestFrame: Int
    private var bytes = 0
    private var frames = 0
    private var delivered = 0
    private var lastBacklog: Int?

    /// What a reader takes in one go beyond the frame that it gives.
    private static let readAhead = 2048
    /// Sizes vary, so only what is many frames long is taken for lost.
    private static let leastFrames = 4

    package init(largestFrame: Int) {
        self.largestFrame = largestFrame
    }

    /// - Parameters:
    ///   - size: bytes of the frame that was read.
    ///   - position: bytes of the file that were read so far.
    /// - Returns: how many frames are missing before or behind this one.
    package mutating func lostFrames(size: Int, position: Int) -> Double {
        delivered += size
        let backlog = position - delivered
        let passed = lastBacklog.map { backlog - $0 } ?? 0
        lastBacklog = backlog
        let mean = frames > 0 ? Double(bytes) / Double(frames) : Double(max(size, 1))
        let least = Double(Self.leastFrames) * mean
        if size > largestFrame, Double(size) > least { return Double(size) / mean - 1 }
        bytes += size
        frames += 1
        return passed > Self.readAhead && Double(passed) > least ? Double(passed) / mean : 0
    }
}
