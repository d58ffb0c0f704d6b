import WhisperEngine

/// A failure as the user sees it: `error: what where`, then `try: what to do`, one line each.
package struct ErrorReport: Error, Equatable, Sendable {
    package let status: ExitStatus
    /// What went wrong and where; names in it are quoted already.
    package let what: String
    /// What to do about it.
    package let cure: String?

    package init(_ status: ExitStatus, _ what: String, cure: String? = nil) {
        self.status = status
        self.what = what
        self.cure = cure
    }

    /// A text of the form `what and where; what to do`.
    package init(_ status: ExitStatus, splitting text: String) {
        guard let semicolon = text.firstIndex(of: ";") else {
            self.init(status, text)
            return
        }
        let cure = text[text.index(after: semicolon)...].drop { $0 == " " }
        self.init(status, String(text[..<semicolon]), cure: String(cure))
    }

    /// A bug of this program, with what is known of it.
    package static func internalError(_ what: String) -> ErrorReport {
        ErrorReport(
            .internalError, "internal error in version \(Version.text): \(what)",
            cure: "report it with this line, the command and what `whisper-local doctor` says")
    }

    /// Everything on one line, for warnings.
    var singleLine: String { cure.map { "\(what); \($0)" } ?? what }

    /// The lines for standard error, each with its line feed.
    package var text: String {
        "error: \(what)\n" + (cure.map { "try: \($0)\n" } ?? "")
    }
}

/// An error that knows its message and its exit status.
package protocol ReportedError: Error {
    var report: ErrorReport { get }
}

extension ErrorReport: ReportedError {
    package var report: ErrorReport { self }
}
