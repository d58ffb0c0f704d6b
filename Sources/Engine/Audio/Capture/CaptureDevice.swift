/// What a device answers instead of doing what it was asked to.
package enum CaptureFault: Error, Equatable, Sendable {
    /// Its buffer ran over.
    case overrun
    /// The machine slept.
    case suspended
    /// Not now.
    case again
    /// It went away; the number is the system's.
    case gone(code: Int32)
}

/// An open microphone, 16 kHz mono, used by one thread.
package protocol CaptureDevice: AnyObject {
    var name: String { get }

    /// Begins to record; also after `prepare`.
    func start() throws(CaptureFault)
    /// Waits for sound.
    ///
    /// - Returns: whether there is some.
    func wait(milliseconds: Int32) throws(CaptureFault) -> Bool
    /// Reads what is there, without waiting, at most as much as the buffer holds.
    ///
    /// - Returns: samples read.
    func read(into buffer: inout [Int16]) throws(CaptureFault) -> Int
    /// Makes it ready to start after an overrun or a `drop`.
    func prepare() throws(CaptureFault)
    /// Goes on after the machine slept.
    func resume() throws(CaptureFault)
    /// Stops recording; what was not read is gone.
    func drop() throws(CaptureFault)
    /// Samples recorded but not read yet; 0 where it does not say.
    var delay: Int { get }
    func close()
}
