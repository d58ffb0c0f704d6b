/// Opens the capture device, and reopens it after it was lost.
struct DeviceConnector {
    /// Device names, tried in this order. With more than one, the next is tried only if a device does not exist.
    let names: [String]
    package let channel: CaptureChannel
    let clock: CaptureClock
    let open: (String) throws(CaptureError) -> any CaptureDevice

    /// Pause between two attempts to open a device: one that is back is in use within a second.
    private static let pause = Duration.milliseconds(500)
    /// How long to try to reopen a lost device.
    private static let reconnectTimeout = Duration.seconds(30)
    /// How long to wait for a sound server to start.
    private static let serverTimeout = Duration.seconds(10)

    /// Opens the first available device, waiting for its sound server to start.
    ///
    /// - Returns: `nil` if capturing was stopped in the meantime.
    func connect() throws(CaptureError) -> (any CaptureDevice)? {
        let start = clock.now()
        while true {
            do {
                return try openFirst()
            } catch {
                guard case .serverNotRunning(let name, _) = error else { throw error }
                let waited = clock.now() - start
                guard waited < Self.serverTimeout else {
                    throw .serverNotRunning(name, seconds: Int(waited / .seconds(1)))
                }
            }
            guard sleep(Self.pause) else { return nil }
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

    /// Reports that a device was lost, then tries to reopen it.
    ///
    /// - Returns: `nil` if capturing was stopped in the meantime.
    func reconnect(to name: String, after reason: String) throws(CaptureError) -> (any CaptureDevice)? {
        channel.post(.deviceLost(reason: reason))
        let start = clock.now()
        while true {
            let left = Self.reconnectTimeout - (clock.now() - start)
            guard left > .zero else {
                throw .lost(name, reason: reason, seconds: Int(Self.reconnectTimeout / .seconds(1)))
            }
            guard sleep(min(Self.pause, left)) else { return nil }
            if let device = try? open(name) {
                channel.post(.deviceBack)
                return device
            }
        }
    }

    /// - Returns: `false` if capturing was stopped in the meantime.
    private func sleep(_ duration: Duration) -> Bool {
        let end = clock.now() + duration
        while !channel.control.isStopped {
            let left = end - clock.now()
            guard left > .zero else { return true }
            clock.sleep(min(left, .milliseconds(50)))
        }
        return false
    }
}
