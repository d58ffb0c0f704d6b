package import WhisperEngine

/// Why something given is no input. What single files have wrong with them, the engine says when it opens them.
package enum InputError: Error, Equatable, Sendable {
    case emptyFolder(FilePath)
    case closedFolder(FilePath)
    case tooManyFiles(FilePath)
    case standardInputClosed
    case standardInputTerminal
}

extension InputError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .emptyFolder(let path):
            ErrorReport(.noInput, "no media files in it: \(path)", cure: "name the recordings themselves")
        case .closedFolder(let path):
            ErrorReport(.notPermitted, "not permitted to read the folder \(path)", cure: "ask its owner")
        case .tooManyFiles(let path):
            ErrorReport(
                .noInput, "more than \(InputList.mostFiles) files in \(path)", cure: "name folders further down")
        case .standardInputClosed:
            ErrorReport(.noInput, "standard input is closed", cure: "pipe a recording in, or name a file")
        case .standardInputTerminal:
            ErrorReport(
                .usage, "standard input is a terminal: nothing to read", cure: "pipe a recording in, or name a file")
        }
    }
}
