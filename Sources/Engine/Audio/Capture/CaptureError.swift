import EngineBasics

/// An error of a microphone.
public enum CaptureError: Error, Equatable, Sendable {
    /// No device was named, and none of the default ones exists.
    case noMicrophone(tried: [String])
    /// No device has this name; `known` lists the existing ones.
    case unknownDevice(String, known: [String])
    /// Another program uses the device; `process` and `program` identify it if known.
    case busy(String, process: Int? = nil, program: String? = nil)
    case notPermitted(String)
    /// The sound server did not respond within this many seconds.
    case serverNotRunning(String, seconds: Int)
    /// The device cannot record 16 kHz, mono, 16 bits, even with conversion.
    case unsuitable(String, detail: String)
    /// The device disappeared and did not return within this many seconds.
    case lost(String, reason: String, seconds: Int)
    case failed(String, detail: String)
    /// The ALSA library is not installed.
    case libraryMissing
    /// The system cannot create another thread.
    case noThread
}

extension CaptureError: CustomStringConvertible {
    /// What went wrong, and with which device; one line.
    public var description: String {
        switch self {
        case .noMicrophone(let tried): "no microphone found (tried \(tried.joined(separator: ", ")))"
        case .unknownDevice(let name, _): "no such microphone: \(ShellQuoting.quoted(name))"
        case .busy(let name, let process, let program):
            "microphone busy: \(ShellQuoting.quoted(name)) is in use by "
                + (process.map { number in
                    program.map { "\(ShellQuoting.quoted($0)) (process \(number))" } ?? "process \(number)"
                } ?? "another program")
        case .notPermitted(let name): "no permission to use the microphone \(ShellQuoting.quoted(name))"
        case .serverNotRunning(let name, let seconds):
            "the sound server for \(ShellQuoting.quoted(name)) is not responding (waited \(seconds) s)"
        case .unsuitable(let name, let detail):
            "\(ShellQuoting.quoted(name)) cannot record at 16 kHz (\(detail))"
        case .lost(let name, let reason, let seconds):
            "microphone lost: \(ShellQuoting.quoted(name)) \(reason) and did not return within \(seconds) s"
        case .failed(let name, let detail): "cannot open the microphone \(ShellQuoting.quoted(name)) (\(detail))"
        case .libraryMissing: "the ALSA library is not installed (libasound.so.2)"
        case .noThread: "the system cannot create another thread"
        }
    }
}
