/// Places decoded frames on a timeline by comparing the container's timestamps with the audio decoded so far.
///
/// All times are in seconds from the first sample.
package struct FFmpegTimeline {
    /// What to do with a frame.
    package struct Placement: Equatable {
        /// Silence to insert before it.
        package var silence: Double
        /// Whether to drop the frame because it repeats earlier audio.
        package var isDropped: Bool
        /// Where the timestamps jumped, if they did.
        package var jump: Double?

        package init(silence: Double = 0, isDropped: Bool = false, jump: Double? = nil) {
            self.silence = silence
            self.isDropped = isDropped
            self.jump = jump
        }
    }

    private let hasTimestamps: Bool
    /// The largest gap that counts as lost audio and not as a clock reset.
    private let maxGap: Double
    private var origin: Double?
    private var isDropping = false
    private var pendingDamage: Double?
    /// The end of the audio decoded and inserted so far.
    package private(set) var position = 0.0
    /// Total silence inserted for damaged data.
    package private(set) var damagedSeconds = 0.0

    /// - Parameter allowsClockJumps: whether the format may reset its clock at any time, as broadcast formats do.
    package init(hasTimestamps: Bool, allowsClockJumps: Bool) {
        self.hasTimestamps = hasTimestamps
        maxGap = allowsClockJumps ? AudioLimits.maxOverlap : AudioLimits.maxFilledGap
    }

    /// Records that data of this length could not be decoded.
    package mutating func addDamage(_ seconds: Double) {
        pendingDamage = min((pendingDamage ?? 0) + max(0, seconds), maxGap)
    }

    /// Places the next frame.
    ///
    /// - Parameters:
    ///   - stamp: the frame's timestamp, if it has one.
    ///   - length: the frame's length.
    package mutating func place(at stamp: Double?, length: Double) -> Placement {
        var placement = Placement()
        let damage = pendingDamage
        pendingDamage = nil
        if let stamp, hasTimestamps {
            let start = origin ?? stamp - (damage ?? 0)
            origin = start
            placement = placed(stamp - start - position, length, afterDamage: damage != nil)
        } else if let damage {
            placement.silence = damage
        }
        if damage != nil { damagedSeconds += placement.silence }
        position += placement.silence + (placement.isDropped ? 0 : length)
        return placement
    }

    /// Returns the length of damage at the end, which no frame follows.
    package mutating func trailingDamage() -> Double {
        let seconds = pendingDamage ?? 0
        pendingDamage = nil
        position += seconds
        return seconds
    }

    /// - Parameter difference: the frame's timestamp minus the current position.
    private mutating func placed(_ difference: Double, _ length: Double, afterDamage: Bool) -> Placement {
        if isDropping, difference < -length / 2, -difference <= AudioLimits.maxOverlap {
            return Placement(isDropped: true)
        }
        isDropping = false
        let tolerance = afterDamage ? 0 : AudioLimits.timestampTolerance
        if difference > tolerance {
            if difference <= maxGap { return Placement(silence: difference, jump: afterDamage ? nil : position) }
            origin = origin.map { $0 + difference }
            return Placement(jump: position)
        }
        if difference < -AudioLimits.timestampTolerance {
            if -difference <= AudioLimits.maxOverlap {
                isDropping = true
                return Placement(isDropped: true, jump: position)
            }
            origin = origin.map { $0 + difference }
            return Placement(jump: position)
        }
        return Placement()
    }
}

/// Estimates the audio lost to damage in a stream of raw frames (MP3, ADTS, AC-3) without container and timestamps.
///
/// Demuxers of such streams search for the next frame header. The bytes they skip are dropped or appended to the previous
/// frame; both show in the number of bytes, which the mean frame size so far converts to time.
package struct LostFrameEstimator {
    /// The size of the format's largest frame in bytes.
    private let largestFrame: Int
    private var bytes = 0
    private var frames = 0
    private var delivered = 0
    private var lastBacklog: Int?

    /// Bytes that a demuxer may read beyond the frame it returns.
    private static let readAhead = 2048
    /// Frame sizes vary, so only a loss of several frames counts.
    private static let minFrames = 4

    package init(largestFrame: Int) {
        self.largestFrame = largestFrame
    }

    /// Adds the next frame.
    ///
    /// - Parameters:
    ///   - size: the frame's size in bytes.
    ///   - position: bytes of the file read so far.
    /// - Returns: the number of frames missing before or after this one.
    package mutating func lostFrames(size: Int, position: Int) -> Double {
        delivered += size
        let backlog = position - delivered
        let skipped = lastBacklog.map { backlog - $0 } ?? 0
        lastBacklog = backlog
        let mean = frames > 0 ? Double(bytes) / Double(frames) : Double(max(size, 1))
        let minimum = Double(Self.minFrames) * mean
        if size > largestFrame, Double(size) > minimum { return Double(size) / mean - 1 }
        bytes += size
        frames += 1
        return skipped > Self.readAhead && Double(skipped) > minimum ? Double(skipped) / mean : 0
    }
}
