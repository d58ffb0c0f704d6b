/// The program's exit status: the codes of `sysexits.h`, and 128 + N for signal N.
package enum ExitStatus: Int32, Sendable {
    /// Success, also if the reader of standard output went away.
    case success = 0
    /// The command line is wrong.
    case usage = 64
    /// The content of an input is wrong: audio, model or text.
    case badData = 65
    /// An input is missing or is not a readable file.
    case noInput = 66
    /// Something required is not installed: a model, a device, a library.
    case unavailable = 69
    /// A bug in this program.
    case internalError = 70
    /// An output cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed midway.
    case inputOutput = 74
    /// Busy or out of resources; retrying may help.
    case tryAgain = 75
    /// Permission denied.
    case notPermitted = 77
    case hangUp = 129
    case interrupted = 130
    case terminated = 143
}
