/// Where decoded frames belong by a container's timestamps, against the count of what was decoded.
///
/// All times are seconds from the first sample.
package struct FFmpegClock {
    /// What to do with a frame.
    package struct Step: Equatable {
        /// Silence to put before it.
        package var silence: Double
        /// The frame tells again what was told.
        package var isDropped: Bool
        /// Where the timestamps leapt, if they did.
        package var leap: Double?

        package init(silence: Double = 0, isDropped: Bool = false, leap: Double? = nil) {
            self.silence = silence
            self.isDropped = isDropped
            self.leap = leap
        }
    }

    private let hasTimestamps: Bool
    /// The largest gap that is lost sound and not a clock set anew.
    private let longestGap: Double
    private var origin: Double?
    private var isDropping = false
    private var pendingDamage: Double?
    /// The end of what was decoded and filled.
    package private(set) var position = 0.0
    /// Silence put in place of damaged data so far.
    package private(set) var damagedSeconds = 0.0

    /// - Parameter isLeaping: broadcast formats set their clock anew as they please.
    package init(hasTimestamps: Bool, isLeaping: Bool) {
        self.hasTimestamps = hasTimestamps
        longestGap = isLeaping ? AudioLimits.longestOverlap : AudioLimits.longestFilledGap
    }

    /// Data that should have given so many seconds could not be decoded.
    package mutating func addDamage(_ seconds: Double) {
        pendingDamage = min((pendingDamage ?? 0) + max(0, seconds), longestGap)
    }

    /// - Parameters:
    ///   - stamp: the frame's own time, if it has one.
    ///   - length: of the frame.
    package mutating func place(at stamp: Double?, length: Double) -> Step {
        var step = Step()
        let damage = pendingDamage
        pendingDamage = nil
        if let stamp, hasTimestamps {
            let start = origin ?? stamp - (damage ?? 0)
            origin = start
            step = compared(stamp - start - position, length, afterDamage: damage != nil)
        } else if let damage {
            step.silence = damage
        }
        if damage != nil { damagedSeconds += step.silence }
        position += step.silence + (step.isDropped ? 0 : length)
        return step
    }

    /// Damage at the end, which nothing follows.
    package mutating func trailingDamage() -> Double {
        let seconds = pendingDamage ?? 0
        pendingDamage = nil
        position += seconds
        return seconds
    }

    private mutating func compared(_ difference: Double, _ length: Double, afterDamage: Bool) -> Step {
        if isDropping, difference < -length / 2, -difference <= AudioLimits.longestOverlap {
            return Step(isDropped: true)
        }
        isDropping = false
        let tolerance = afterDamage ? 0 : AudioLimits.timestampTolerance
        if difference > tolerance {
            if difference <= longestGap { return Step(silence: difference, leap: afterDamage ? nil : position) }
            origin = origin.map { $0 + difference }
            return Step(leap: position)
        }
        if difference < -AudioLimits.timestampTolerance {
            if -difference <= AudioLimits.longestOverlap {
                isDropping = true
                return Step(isDropped: true, leap: position)
            }
            origin = origin.map { $0 + difference }
            return Step(leap: position)
        }
        return Step()
    }
}
