/// The work of the capture thread: opens the device, reads it into the ring, and opens it again when it went away.
///
/// While it reads it takes no lock and no memory; what happens else is posted and rare.
package final class CaptureLoop {
    private let link: CaptureLink
    private let names: [String]
    private let open: (String) throws(CaptureError) -> any CaptureDevice
    private let time: CaptureTime
    private var buffer = [Int16](repeating: 0, count: ALSADevice.periodSamples)
    private var isStalled = false
    /// Time without sound until the device was started again, not told yet.
    private var lastOverrun: Duration?
    private var absence = AbsenceMeter()

    private static let readsPerSecond = AudioChunk.sampleRate / ALSADevice.periodSamples
    /// One wait for sound; then it is looked whether it is to stop.
    private static let turn = Duration.milliseconds(500)
    /// No sound for so long is told.
    private static let stallTime = Duration.seconds(2)
    /// No sound for so long makes the device be opened anew.
    private static let reopeningTime = Duration.seconds(10)
    /// Pauses between attempts to open a lost device, doubling.
    private static let pauses = (first: Duration.milliseconds(500), longest: Duration.seconds(8))
    /// A device that does not come back in this time is lost for good.
    private static let patience = Duration.seconds(30)
    /// A sound server that starts is waited for so long.
    private static let serverPatience = Duration.seconds(10)
    /// Overruns in a row without a sample between them.
    private static let mostOverruns = 20

    /// - Parameter names: tried in this order; from the second on only where the first is not there.
    package init(
        _ link: CaptureLink, names: [String], time: CaptureTime = .system,
        open: @escaping (String) throws(CaptureError) -> any CaptureDevice
    ) {
        self.link = link
        self.names = names
        self.time = time
        self.open = open
    }

    /// Why reading ended.
    private enum Outcome {
        case stopped
        case silent
        case lost(reason: String)
    }

    /// Works until it is stopped or the device is lost for good.
    package func run() {
        do throws(CaptureError) {
            guard var device = try firstDevice() else { return link.end(.stopped) }
            link.opened(device.name)
            while true {
                let outcome = record(device)
                device.close()
                switch outcome {
                case .stopped: return link.end(.stopped)
                case .silent:
                    // A suspended device may be there; a new start wakes some up.
                    if let same = try? open(device.name) {
                        device = same
                        continue
                    }
                    guard let next = try afterLoss(of: device.name, "gives no sound") else { return link.end(.stopped) }
                    device = next
                case .lost(let reason):
                    guard let next = try afterLoss(of: device.name, reason) else { return link.end(.stopped) }
                    device = next
                }
            }
        } catch {
            link.end(.failed(error))
        }
    }

    // MARK: Opening

    /// - Returns: `nil` where it was stopped meanwhile.
    private func firstDevice() throws(CaptureError) -> (any CaptureDevice)? {
        let start = time.now()
        while true {
            do {
                return try openFirst()
            } catch {
                guard case .serverNotRunning(let name, _) = error else { throw error }
                let waited = time.now() - start
                guard waited < Self.serverPatience else {
                    throw .serverNotRunning(name, seconds: Int(waited / .seconds(1)))
                }
            }
            guard sleep(Self.pauses.first) else { return nil }
        }
    }

    private func openFirst() throws(CaptureError) -> any CaptureDevice {
        if names.count == 1 { return try open(names[0]) }
        for name in names {
            do {
                return try open(name)
            } catch {
                switch error {
                case .unknownDevice, .serverNotRunning, .failed: continue
                default: throw error
                }
            }
        }
        throw .noMicrophone(tried: names)
    }

    /// Tells the loss and waits for the device.
    ///
    /// - Returns: `nil` where it was stopped meanwhile.
    private func afterLoss(of name: String, _ reason: String) throws(CaptureError) -> (any CaptureDevice)? {
        link.post(.deviceLost(reason: reason))
        let start = time.now()
        var pause = Self.pauses.first
        while true {
            let left = Self.patience - (time.now() - start)
            guard left > .zero else {
                throw .lost(name, reason: reason, seconds: Int(Self.patience / .seconds(1)))
            }
            guard sleep(min(pause, left)) else { return nil }
            pause = min(pause * 2, Self.pauses.longest)
            if let device = try? open(name) {
                link.post(.deviceBack)
                return device
            }
        }
    }

    /// - Returns: `false` where it was stopped meanwhile.
    private func sleep(_ duration: Duration) -> Bool {
        let end = time.now() + duration
        while !link.control.isStopped {
            let left = end - time.now()
            guard left > .zero else { return true }
            time.sleep(min(left, .milliseconds(50)))
        }
        return false
    }

    // MARK: Reading

    private func record(_ device: any CaptureDevice) -> Outcome {
        (lastOverrun, absence) = (nil, AbsenceMeter())
        do throws(CaptureFault) {
            try device.start()
            var lastSound = time.now()
            var (overruns, reads) = (0, 0)
            var quiet = Duration.zero
            while !link.control.isStopped {
                if link.control.isPaused {
                    try pause(device)
                    (lastSound, quiet, absence) = (time.now(), .zero, AbsenceMeter())
                    continue
                }
                // What does not fit stays with the device, which holds a second more, a sound server much more.
                guard link.ring.room >= buffer.count else {
                    time.sleep(.milliseconds(5))
                    continue
                }
                do throws(CaptureFault) {
                    let start = time.now()
                    // After an error of `wait` reading would give a false overrun.
                    let hasSound = try device.wait(milliseconds: Int32(Self.turn / .milliseconds(1)))
                    let count = hasSound ? try device.read(into: &buffer) : 0
                    let now = time.now()
                    if let lost = absence.lost(hearing: count, at: now) { link.post(.overrun(lostSamples: lost)) }
                    if count > 0 {
                        write(count)
                        (lastSound, quiet, overruns, isStalled) = (now, .zero, 0, false)
                        reads += 1
                        if reads % Self.readsPerSecond == 0 { link.note(backlog: device.delay) }
                    } else {
                        // A program that was put aside for a while has not heard silence meanwhile.
                        quiet += min(now - start, Self.turn)
                        if quiet >= Self.stallTime { tellStall() }
                        if quiet >= Self.reopeningTime { return .silent }
                    }
                } catch {
                    switch error {
                    case .again: time.sleep(.milliseconds(1))
                    case .gone: throw error
                    case .overrun, .suspended:
                        overruns += 1
                        guard overruns <= Self.mostOverruns else { throw .gone(code: 0) }
                        try recover(device, from: error)
                        lastOverrun = time.now() - lastSound
                        absence = AbsenceMeter()
                    }
                }
            }
            if !link.control.isPaused { try drain(device) }
            return .stopped
        } catch {
            return link.control.isStopped ? .stopped : .lost(reason: "went away")
        }
    }

    /// Puts what was read into the ring, behind the overrun before it: without sound behind it that was no overrun but
    /// a device that goes away.
    private func write(_ count: Int) {
        if let lost = lastOverrun {
            link.post(.overrun(lostSamples: Self.samples(in: lost)))
            lastOverrun = nil
        }
        link.ring.write(buffer, count: count)
    }

    private func tellStall() {
        guard !isStalled else { return }
        isStalled = true
        link.post(.stalled)
    }

    private func recover(_ device: any CaptureDevice, from fault: CaptureFault) throws(CaptureFault) {
        if fault == .suspended, try wakes(device) { return }
        try device.prepare()
        try device.start()
    }

    /// - Returns: whether the device goes on; else it must be prepared.
    private func wakes(_ device: any CaptureDevice) throws(CaptureFault) -> Bool {
        while !link.control.isStopped {
            do {
                try device.resume()
                return true
            } catch {
                switch error {
                case .again: time.sleep(.milliseconds(100))
                case .gone(let code) where code == 0: throw error
                default: return false
                }
            }
        }
        return false
    }

    /// Stops the device, and starts it when the pause is over. What was said before is kept.
    private func pause(_ device: any CaptureDevice) throws(CaptureFault) {
        try drain(device)
        try device.drop()
        while link.control.isPaused, !link.control.isStopped { time.sleep(.milliseconds(10)) }
        guard !link.control.isStopped else { return }
        try device.prepare()
        try device.start()
    }

    /// Reads what the device holds at this moment.
    private func drain(_ device: any CaptureDevice) throws(CaptureFault) {
        do throws(CaptureFault) {
            while link.ring.room >= buffer.count {
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

    private static func samples(in duration: Duration) -> Int {
        Int((duration / .seconds(1) * Double(AudioChunk.sampleRate)).rounded())
    }
}
