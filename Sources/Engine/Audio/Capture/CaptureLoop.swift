/// The loop of the capture thread: reads the device into the ring buffer, and reopens the device when it is lost.
///
/// Reading samples takes no locks and allocates no memory; other events are posted, which is rare.
package final class CaptureLoop {
    private let channel: CaptureChannel
    private let connector: DeviceConnector
    private let clock: CaptureClock
    private var buffer = [Int16](repeating: 0, count: ALSADevice.periodSamples)
    private var isStalled = false
    /// The time without samples around the last overrun, if that is not reported yet.
    private var pendingOverrun: Duration?
    private var dropouts = DropoutEstimator()

    /// How long to wait for samples before checking for `stop`.
    private static let waitTimeout = Duration.milliseconds(500)
    /// Time without samples until a stall is reported.
    private static let stallTimeout = Duration.seconds(2)
    /// Time without samples until the device is reopened.
    private static let reopenTimeout = Duration.seconds(10)
    /// Maximum overruns in a row without a sample between them.
    private static let maxOverruns = 20

    /// - Parameters:
    ///   - names: device names in order of preference; see `DeviceConnector`.
    ///   - open: opens a device by name.
    package init(
        _ channel: CaptureChannel, names: [String], clock: CaptureClock = .system,
        open: @escaping (String) throws(CaptureError) -> any CaptureDevice
    ) {
        self.channel = channel
        self.clock = clock
        connector = DeviceConnector(names: names, channel: channel, clock: clock, open: open)
    }

    /// Why reading ended.
    private enum Outcome {
        case stopped
        case silent
        case lost(reason: String)
    }

    /// Runs until it is stopped or the device is lost for good.
    package func run() {
        do throws(CaptureError) {
            guard var device = try connector.connect() else { return channel.end(.stopped) }
            channel.setDevice(device.name)
            while true {
                let outcome = record(device)
                device.close()
                let reason: String
                switch outcome {
                case .stopped: return channel.end(.stopped)
                case .silent:
                    // The device may be suspended; reopening wakes some up.
                    if let same = try? connector.open(device.name) {
                        device = same
                        continue
                    }
                    reason = "delivers no audio"
                case .lost(let cause): reason = cause
                }
                guard let next = try connector.reconnect(to: device.name, after: reason) else {
                    return channel.end(.stopped)
                }
                device = next
            }
        } catch {
            channel.end(.failed(error))
        }
    }

    private func record(_ device: any CaptureDevice) -> Outcome {
        (pendingOverrun, dropouts) = (nil, DropoutEstimator())
        do throws(CaptureFault) {
            try device.start()
            var lastSamples = clock.now()
            var overruns = 0
            var quiet = Duration.zero
            while !channel.control.isStopped {
                if channel.control.isPaused {
                    try pause(device)
                    (lastSamples, quiet, dropouts) = (clock.now(), .zero, DropoutEstimator())
                    continue
                }
                // What does not fit stays in the device, which buffers another second; a sound server, much more.
                guard channel.ring.freeCount >= buffer.count else {
                    clock.sleep(.milliseconds(5))
                    continue
                }
                do throws(CaptureFault) {
                    let start = clock.now()
                    // Do not read after an error of `wait`: that would report a false overrun.
                    let isReady = try device.wait(milliseconds: Int32(Self.waitTimeout / .milliseconds(1)))
                    let count = isReady ? try device.read(into: &buffer) : 0
                    let now = clock.now()
                    if let lost = dropouts.lostSamples(afterReading: count, at: now) {
                        channel.post(.overrun(lostSamples: lost))
                    }
                    if count > 0 {
                        write(count)
                        (lastSamples, quiet, overruns, isStalled) = (now, .zero, 0, false)
                    } else {
                        // Time in which the process was stopped does not count as quiet.
                        quiet += min(now - start, Self.waitTimeout)
                        if quiet >= Self.stallTimeout { reportStall() }
                        if quiet >= Self.reopenTimeout { return .silent }
                    }
                } catch {
                    switch error {
                    case .again: clock.sleep(.milliseconds(1))
                    case .gone: throw error
                    case .overrun, .suspended:
                        overruns += 1
                        guard overruns <= Self.maxOverruns else { throw .gone(code: 0) }
                        try recover(device, from: error)
                        pendingOverrun = clock.now() - lastSamples
                        dropouts = DropoutEstimator()
                    }
                }
            }
            if !channel.control.isPaused { try drain(device) }
            return .stopped
        } catch {
            return channel.control.isStopped ? .stopped : .lost(reason: "went away")
        }
    }

    /// Writes samples from the buffer into the ring buffer, after reporting a preceding overrun. An overrun not followed
    /// by samples is not reported: the device is disappearing.
    private func write(_ count: Int) {
        if let lost = pendingOverrun {
            channel.post(.overrun(lostSamples: AudioChunk.samples(in: lost / .seconds(1))))
            pendingOverrun = nil
        }
        channel.ring.write(buffer, count: count)
    }

    private func reportStall() {
        guard !isStalled else { return }
        isStalled = true
        channel.post(.stalled)
    }

    private func recover(_ device: any CaptureDevice, from fault: CaptureFault) throws(CaptureFault) {
        if fault == .suspended, try resume(device) { return }
        try device.prepare()
        try device.start()
    }

    /// - Returns: whether the device resumed; otherwise it has to be prepared.
    private func resume(_ device: any CaptureDevice) throws(CaptureFault) -> Bool {
        while !channel.control.isStopped {
            do {
                try device.resume()
                return true
            } catch {
                switch error {
                case .again: clock.sleep(.milliseconds(100))
                case .gone(let code) where code == 0: throw error
                default: return false
                }
            }
        }
        return false
    }

    /// Stops the device until the pause ends; audio captured before the pause is kept.
    private func pause(_ device: any CaptureDevice) throws(CaptureFault) {
        try drain(device)
        try device.drop()
        while channel.control.isPaused, !channel.control.isStopped { clock.sleep(.milliseconds(10)) }
        guard !channel.control.isStopped else { return }
        try device.prepare()
        try device.start()
    }

    /// Reads what the device has buffered.
    private func drain(_ device: any CaptureDevice) throws(CaptureFault) {
        do throws(CaptureFault) {
            while channel.ring.freeCount >= buffer.count {
                let count = try device.read(into: &buffer)
                guard count > 0 else { return }
                write(count)
            }
        } catch {
            switch error {
            case .again, .overrun, .suspended: return
            case .gone: throw error
            }
        }
    }
}
