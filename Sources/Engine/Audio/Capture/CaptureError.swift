/// Why there is no sound from a microphone.
public enum CaptureError: Error, Equatable, Sendable {
    /// No device was named, and none of the usual ones is there.
    case noMicrophone(tried: [String])
    /// `known`: the devices that are there.
    case unknownDevice(String, known: [String])
    /// With the process that records from it, and its name, where the system tells.
    case busy(String, process: Int? = nil, program: String? = nil)
    case notPermitted(String)
    /// The sound server behind the device did not answer for so many seconds.
    case serverNotRunning(String, seconds: Int)
    /// Not even a converted 16 kHz, mono, 16 bits.
    case unsuitable(String, detail: String)
    /// It went away and did not come back for so many seconds.
    case lost(String, reason: String, seconds: Int)
    case failed(String, detail: String)
    /// ALSA's library is not installed.
    case libraryMissing
    /// The system gives no further thread.
    case noThread
}

extension CaptureError {
    public var category: AudioErrorCategory {
        switch self {
        case .noMicrophone, .unknownDevice, .unsuitable, .libraryMissing: .unavailable
        case .busy, .serverNotRunning, .noThread: .temporaryFailure
        case .notPermitted: .noPermission
        case .lost, .failed: .ioError
        }
    }

    /// What to do about it, one line.
    public var advice: String {
        switch self {
        case .noMicrophone:
            "connect a microphone, or start PulseAudio or PipeWire; `whisper-local doctor` shows what is there"
        case .unknownDevice(_, let known):
            known.isEmpty
                ? "leave the choice to the system"
                : "one of: \(known.map { ShellQuoting.quoted($0) }.joined(separator: " "))"
        case .busy: "close the other program, or choose another device"
        case .notPermitted: "let an administrator add you to the group audio, or use PulseAudio or PipeWire"
        case .serverNotRunning: "start PulseAudio or PipeWire"
        case .unsuitable: "choose another device"
        case .lost: "connect it again and start anew"
        case .failed: "try again, or choose another device"
        case .libraryMissing: "apt-get install libasound2"
        case .noThread: "close other programs"
        }
    }
}

extension CaptureError: CustomStringConvertible {
    /// What is wrong and where, one line.
    public var description: String {
        switch self {
        case .noMicrophone(let tried): "no microphone found (looked for \(tried.joined(separator: ", ")))"
        case .unknownDevice(let name, _): "no such microphone: \(ShellQuoting.quoted(name))"
        case .busy(let name, let process, let program):
            "microphone busy: \(ShellQuoting.quoted(name)) is in use by "
                + (process.map { number in
                    program.map { "\(ShellQuoting.quoted($0)) (process \(number))" } ?? "process \(number)"
                } ?? "another program")
        case .notPermitted(let name): "not permitted to use the microphone \(ShellQuoting.quoted(name))"
        case .serverNotRunning(let name, let seconds):
            "the sound server of \(ShellQuoting.quoted(name)) does not answer (waited \(seconds) s)"
        case .unsuitable(let name, let detail):
            "\(ShellQuoting.quoted(name)) does not record speech at 16 kHz (\(detail))"
        case .lost(let name, let reason, let seconds):
            "microphone lost: \(ShellQuoting.quoted(name)) \(reason), and has not come back for \(seconds) s"
        case .failed(let name, let detail): "the microphone \(ShellQuoting.quoted(name)) does not work (\(detail))"
        case .libraryMissing: "the library of sound devices is missing (libasound.so.2)"
        case .noThread: "the system is out of threads"
        }
    }
}
