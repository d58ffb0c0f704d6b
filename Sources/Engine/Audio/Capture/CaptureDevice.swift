import Glibc

/// A device's failure to do what was asked.
package enum CaptureFault: Error, Equatable, Sendable {
    /// Its buffer overran.
    case overrun
    /// The system was suspended.
    case suspended
    /// It would have to wait.
    case again
    /// The device disappeared; `code` is an `errno` value.
    case gone(code: Int32)
}

/// An open microphone that records 16 kHz mono; used by one thread only.
package protocol CaptureDevice: AnyObject {
    var name: String { get }

    /// Starts recording; also needed after `prepare`.
    func start() throws(CaptureFault)
    /// Waits for samples.
    ///
    /// - Returns: whether samples are available.
    func wait(milliseconds: Int32) throws(CaptureFault) -> Bool
    /// Reads the available samples without waiting, at most as many as the buffer holds.
    ///
    /// - Returns: the number of samples read.
    func read(into buffer: inout [Int16]) throws(CaptureFault) -> Int
    /// Prepares the device for `start` after an overrun or a `drop`.
    func prepare() throws(CaptureFault)
    /// Resumes after a system suspend.
    func resume() throws(CaptureFault)
    /// Stops recording and discards unread samples.
    func drop() throws(CaptureFault)
    func close()
}

/// The clock of the capture thread; tests substitute their own.
package struct CaptureClock: Sendable {
    /// Time since a fixed but arbitrary moment; keeps running while the system is suspended.
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) -> Void

    package init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) -> Void) {
        self.now = now
        self.sleep = sleep
    }

    package static let system: CaptureClock = {
        let start = ContinuousClock.now
        return CaptureClock(
            now: { ContinuousClock.now - start },
            sleep: { usleep(UInt32(clamping: Int($0 / .microseconds(1)))) })
    }()
}
