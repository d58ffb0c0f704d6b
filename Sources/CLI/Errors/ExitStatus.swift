/// How the program ends: the statuses of `sysexits.h`, and 128 + N for signal N.
package enum ExitStatus: Int32, Sendable {
    /// Done; also when the reader of our output went away.
    case success = 0
    /// Wrong command line.
    case usage = 64
    /// Wrong content: sound, model or text.
    case badData = 65
    /// An input is missing or cannot be read as a file.
    case noInput = 66
    /// Something needed is not there: a model, a device, a library.
    case unavailable = 69
    /// A bug of this program.
    case internalError = 70
    /// An output cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed midway.
    case inputOutput = 74
    /// Busy or out of resources; worth trying again.
    case tryAgain = 75
    /// Not permitted.
    case notPermitted = 77
    case hangUp = 129
    case interrupted = 130
    case terminated = 143
}
