import WhisperEngine

/// The saved sessions: the `history` commands' access to the session store.
struct SessionHistory {
    static let commands = CommandGroup(
        name: "history", summary: "List, search, export and delete saved sessions",
        notes: [
            "`live --session` and `dictate --session` save sessions in $XDG_DATA_HOME/whisper-local/sessions.db. A "
                + "SESSION is a name, an ID, or at least the first four digits of an ID."
        ],
        members: [
            HistoryListCommand.self, HistoryShowCommand.self, HistoryExportCommand.self, HistorySearchCommand.self,
            HistoryDeleteCommand.self, HistoryRecoverCommand.self,
        ])

    /// `nil` if neither `XDG_DATA_HOME` nor `HOME` is an absolute path.
    let path: FilePath?
    /// `nil` if no session has been saved yet.
    let store: SessionStore?

    /// The name of the database in the data folder.
    static let fileName = "sessions.db"

    init(_ context: CommandContext) throws {
        path = context.environment.dataFolder?.appending(Self.fileName)
        store = try path.flatMap { try SessionStore.open($0) }
    }

    /// Why there are no sessions.
    var absence: String {
        guard let path else { return "no sessions: neither XDG_DATA_HOME nor HOME is an absolute path" }
        return store == nil ? "no sessions yet: \(path) does not exist" : "no sessions in \(path)"
    }

    /// All sessions, latest first.
    func sessions() throws -> [StoredSession] { try store?.sessions() ?? [] }

    /// The session with this name, ID or start of an ID, and the store that holds it.
    func session(_ argument: [UInt8]) throws -> (session: StoredSession, store: SessionStore) {
        guard let store else { throw HistoryError.unknownSession(argument, nearest: nil, absence: absence) }
        // Names are text, so an argument that is not UTF-8 matches none.
        let isText = UTF8Text.firstInvalidByte(argument[...]) == nil
        let name = isText ? String(decoding: argument, as: UTF8.self) : ""
        let matches = try store.sessions(named: name)
        if matches.count > 1 { throw HistoryError.ambiguous(argument, ids: matches.map(\.id.description)) }
        guard let session = matches.first else {
            let titles = try sessions().map(\.title)
            throw HistoryError.unknownSession(
                argument, nearest: Suggestion.nearest(to: name, among: titles), absence: nil)
        }
        return (session, store)
    }

    /// The only operand's session.
    func session(_ operands: [[UInt8]], command: CommandManual) throws -> (session: StoredSession, store: SessionStore)
    {
        try session(command.onlyOperand(of: operands, "session", "SESSION"))
    }
}

/// Why a session cannot be found or used.
enum HistoryError: ReportedError, Equatable {
    /// - Parameter absence: why there are no sessions at all.
    case unknownSession([UInt8], nearest: String?, absence: String?)
    case ambiguous([UInt8], ids: [String])
    /// The session was closed normally, so all of its audio has been transcribed.
    case nothingToRecover(name: String)
    /// A killed run of the session saved audio that is not transcribed, which `dictate` cannot do.
    case needsRecovery(name: String)

    var report: ErrorReport {
        switch self {
        case .unknownSession(let argument, _, let absence?):
            ErrorReport(
                .noInput, "no session \(ShellQuoting.quoted(argument)) (\(absence))",
                advice: "start one with whisper-local live --session NAME")
        case .unknownSession(let argument, let nearest, nil):
            ErrorReport(
                .noInput,
                "no session \(ShellQuoting.quoted(argument))"
                    + (nearest.map { "; did you mean \(ShellQuoting.quoted($0))?" } ?? ""),
                advice: "whisper-local history list")
        case .ambiguous(let argument, let ids):
            ErrorReport(
                .noInput, "\(ShellQuoting.quoted(argument)) matches the IDs of \(ids.count) sessions",
                advice: "more digits: " + ids.prefix(4).map { ShellQuoting.quoted($0) }.joined(separator: ", "))
        case .nothingToRecover(let name):
            ErrorReport(
                .noInput, "nothing to recover: session \(ShellQuoting.quoted(name)) was closed normally",
                advice: "whisper-local history show \(ShellQuoting.quoted(name))")
        case .needsRecovery(let name):
            ErrorReport(
                .tryAgain,
                "session \(ShellQuoting.quoted(name)) has audio from an unfinished run, which is not transcribed yet",
                advice: "whisper-local history recover \(ShellQuoting.quoted(name))")
        }
    }
}
