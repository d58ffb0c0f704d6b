/// Estimates how much audio was lost while the device was not read because the process was stopped or its consumer was
/// busy.
///
/// Some devices buffer the audio and deliver it at once afterwards, or report an overrun. PipeWire reports nothing; the
/// loss shows only in the samples that do not arrive.
struct DropoutEstimator {
    /// A read waits half a second at most, so a longer interval between two reads is a gap.
    private static let minGap = Duration.seconds(1)
    /// Smaller losses are not reported: devices and clocks are not that exact.
    private static let minLoss = Duration.milliseconds(500)
    /// Over this window, a device that is catching up delivers more than twice as much audio as real time, and one whose
    /// audio is still under way less than a third.
    private static let window = Duration.milliseconds(250)

    private struct Gap {
        let length: Duration
        /// When the device was read again.
        let end: Duration
        /// Samples delivered since.
        var samples = 0
        var windowStart: Duration
        var windowSamples = 0
    }

    private var lastRead: Duration?
    private var deliveredLast = false
    private var gap: Gap?

    /// Records a read from the device.
    ///
    /// - Parameter count: the number of samples delivered.
    /// - Returns: the samples lost in the last gap; once, after the device has delivered what it had buffered.
    mutating func lostSamples(afterReading count: Int, at now: Duration) -> Int? {
        // A device that delivered nothing before has not lost anything.
        if let lastRead, deliveredLast, now - lastRead > Self.minGap {
            gap = Gap(length: now - lastRead, end: now, windowStart: now)
        }
        (lastRead, deliveredLast) = (now, count > 0)
        guard var current = gap else { return nil }
        current.samples += count
        current.windowSamples += count
        gap = current
        let (elapsed, delivered) = (now - current.windowStart, Self.duration(current.windowSamples))
        guard elapsed >= Self.window else { return nil }
        guard delivered * 3 >= elapsed, delivered <= elapsed * 2 else {
            (current.windowStart, current.windowSamples) = (now, 0)
            gap = current
            return nil
        }
        gap = nil
        let buffered = max(.zero, Self.duration(current.samples) - (now - current.end))
        let lost = current.length - buffered
        return lost < Self.minLoss ? nil : Int((lost / .seconds(1) * Double(AudioChunk.sampleRate)).rounded())
    }

    private static func duration(_ samples: Int) -> Duration {
        .seconds(AudioChunk.seconds(of: samples))
    }
}
