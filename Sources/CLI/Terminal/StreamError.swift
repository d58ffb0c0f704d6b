/// Why standard output cannot be written.
package enum StreamError: Error, Equatable, Sendable {
    case closed
    case full
    case failed
}

extension StreamError: ReportedError {
    package var report: ErrorReport {
        switch self {
        case .closed:
            ErrorReport(
                .inputOutput, "standard output cannot be written: it is closed",
                cure: "send it to a file, a pipe or /dev/null")
        case .full:
            ErrorReport(
                .inputOutput, "standard output cannot be written: no space left", cure: "make room, or write elsewhere")
        case .failed:
            ErrorReport(.inputOutput, "standard output cannot be written", cure: "send it to a file or a pipe")
        }
    }
}
