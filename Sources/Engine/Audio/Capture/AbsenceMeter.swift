/// How much sound was lost while nobody read the device: the process was stopped, or who listens was busy.
///
/// Some devices keep the sound meanwhile and give it at once afterwards, or say that they lost it. PipeWire goes on and
/// says nothing; there only the sound that does not come tells.
package struct AbsenceMeter {
    /// A device is waited for half a second at most; a turn longer than this is an absence.
    private static let longestTurn = Duration.seconds(1)
    /// Less is not told: devices and clocks are not that exact.
    private static let leastLoss = Duration.milliseconds(500)
    /// Over such a stretch of time a device that catches up gives more than twice as much sound, and one whose sound
    /// is still on its way less than a third.
    private static let stretch = Duration.milliseconds(250)

    private struct Absence {
        let length: Duration
        /// When the device was read again.
        let end: Duration
        /// Samples given since.
        var samples = 0
        /// The stretch of time that is looked at.
        var start: Duration
        var samplesInStretch = 0
    }

    private var lastTurn: Duration?
    private var wasHearing = false
    private var absence: Absence?

    package init() {}

    /// To be told of each turn in which the device was asked, with the samples that it gave.
    ///
    /// - Returns: samples lost in the last absence, once, when the device has given what it kept.
    package mutating func lost(hearing count: Int, at now: Duration) -> Int? {
        // A device that gave nothing before has lost nothing.
        if let lastTurn, wasHearing, now - lastTurn > Self.longestTurn {
            absence = Absence(length: now - lastTurn, end: now, start: now)
        }
        (lastTurn, wasHearing) = (now, count > 0)
        guard var last = absence else { return nil }
        last.samples += count
        last.samplesInStretch += count
        absence = last
        let (passed, given) = (now - last.start, Self.duration(last.samplesInStretch))
        guard passed >= Self.stretch else { return nil }
        guard given * 3 >= passed, given <= passed * 2 else {
            (last.start, last.samplesInStretch) = (now, 0)
            absence = last
            return nil
        }
        absence = nil
        let kept = max(.zero, Self.duration(last.samples) - (now - last.end))
        let lost = last.length - kept
        return lost < Self.leastLoss ? nil : Int((lost / .seconds(1) * Double(AudioChunk.sampleRate)).rounded())
    }

    private static func duration(_ samples: Int) -> Duration {
        .seconds(Double(samples) / Double(AudioChunk.sampleRate))
    }
}
