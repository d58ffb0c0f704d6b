import WhisperEngine

/// A failure as the user sees it: `error: what and where`, then `try: what to do`, each on one line.
package struct ErrorReport: Error, Equatable, Sendable {
    package let status: ExitStatus
    /// What went wrong and where; names in it are already quoted.
    package let what: String
    /// What to do about it.
    package let advice: String?

    package init(_ status: ExitStatus, _ what: String, advice: String? = nil) {
        self.status = status
        self.what = what
        self.advice = advice
    }

    /// Splits a text of the form `what and where; what to do`.
    package init(_ status: ExitStatus, splitting text: String) {
        guard let semicolon = text.firstIndex(of: ";") else {
            self.init(status, text)
            return
        }
        let advice = text[text.index(after: semicolon)...].drop { $0 == " " }
        self.init(status, String(text[..<semicolon]), advice: String(advice))
    }

    /// A bug in this program.
    package static func internalError(_ what: String) -> ErrorReport {
        ErrorReport(
            .internalError, "internal error in version \(Version.text): \(what)",
            advice: "report this line with the command and the output of `whisper-local doctor`")
    }

    /// The report of any error: its own, or an internal error if it has none.
    package init(_ error: any Error) {
        self = (error as? any ReportedError)?.report ?? .internalError("\(error)")
    }

    /// Problem and advice on one line, for warnings.
    var singleLine: String { advice.map { "\(what); \($0)" } ?? what }

    /// The lines for standard error, including their newlines.
    package var text: String {
        "error: \(Self.shortened(what))\n" + (advice.map { "try: \(Self.shortened($0))\n" } ?? "")
    }

    /// Room for two of the longest paths.
    private static let longestLine = 10_000

    private static func shortened(_ line: String) -> String {
        line.utf8.count <= longestLine ? line : String(line.unicodeScalars.prefix(longestLine)) + "…"
    }
}

/// An error with a message, advice and an exit status for the user. This folder has the conformances of the engine's errors
/// and of those that several commands share; an error of a single command has its own next to it.
package protocol ReportedError: Error {
    var report: ErrorReport { get }
}

extension ErrorReport: ReportedError {
    package var report: ErrorReport { self }
}
