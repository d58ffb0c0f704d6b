/// The program's exit status: the codes of `sysexits.h`, and 128 + N for signal N.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case internalError = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case notPermitted = 77
    case hangUp = 129
    case interrupted = 130
    case terminated = 143

    var meaning: String {
        switch self {
        case .success: "success, also if the reader of standard output went away"
        case .usage: "the command line or the config file is wrong"
        case .badData: "the content of an input is wrong: audio, model or text"
        case .noInput: "an input is missing or is not a readable file"
        case .unavailable: "something required is not installed: a model, a device, a library"
        case .internalError: "a bug in this program"
        case .cannotCreate: "an output cannot be created"
        case .inputOutput: "reading or writing failed midway"
        case .tryAgain: "busy or out of resources; retrying may help"
        case .notPermitted: "permission denied"
        case .hangUp: "stopped by SIGHUP"
        case .interrupted: "stopped by SIGINT (Ctrl-C)"
        case .terminated: "stopped by SIGTERM"
        }
    }
}
