import WhisperEngine

/// Why a word means no session, or a session cannot be worked on.
enum HistoryError: Error, Equatable, Sendable {
    /// - Parameter absence: why there are no sessions at all.
    case unknownSession([UInt8], nearest: String?, absence: String?)
    case ambiguous([UInt8], ids: [String])
    /// It ended as it should: all of its sound has been decoded.
    case nothingToRecover(name: String)
    /// Deleting needs a yes, and there is nobody to ask.
    case needsYes
}

extension HistoryError: ReportedError {
    var report: ErrorReport {
        switch self {
        case .unknownSession(let word, _, let absence?):
            ErrorReport(
                .noInput, "no session \(ShellQuoting.quoted(word)) (\(absence))",
                cure: "whisper-local live --session NAME begins one")
        case .unknownSession(let word, let nearest, nil):
            ErrorReport(
                .noInput,
                "no session \(ShellQuoting.quoted(word))"
                    + (nearest.map { "; did you mean \(ShellQuoting.quoted($0))?" } ?? ""),
                cure: "whisper-local history list")
        case .ambiguous(let word, let ids):
            ErrorReport(
                .noInput, "\(ids.count) sessions whose ids begin with \(ShellQuoting.quoted(word))",
                cure: "more digits: " + ids.prefix(4).map { ShellQuoting.quoted($0) }.joined(separator: ", "))
        case .nothingToRecover(let name):
            ErrorReport(
                .noInput, "nothing to recover: session \(ShellQuoting.quoted(name)) ended as it should",
                cure: "whisper-local history show \(ShellQuoting.quoted(name))")
        case .needsYes:
            ErrorReport(
                .usage, "deleting asks first, and standard input is no terminal", cure: "add --yes to delete unasked")
        }
    }
}
