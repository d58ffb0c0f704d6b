import WhisperEngine

/// The store of sessions as the commands of the group find it.
struct History {
    /// `nil` where neither `XDG_DATA_HOME` nor `HOME` is an absolute path.
    let path: FilePath?
    /// `nil` where there is none yet.
    let store: SessionStore?

    static func path(_ environment: ProcessEnvironment) -> FilePath? {
        environment.baseFolder("XDG_DATA_HOME", fallback: ".local/share")?
            .appending("whisper-local").appending("sessions.db")
    }

    init(_ context: CommandContext) throws {
        let path = Self.path(context.environment)
        self.path = path
        store = try Self.told { try path.flatMap { try SessionStore.open($0) } }
    }

    /// Why there are no sessions to be found.
    var absence: String {
        guard let path else { return "no sessions: neither XDG_DATA_HOME nor HOME is an absolute path" }
        return store == nil ? "no sessions yet: there is no \(path)" : "no sessions in \(path)"
    }

    /// All sessions, the latest first.
    func sessions() throws -> [StoredSession] {
        try Self.told { try store?.sessions() ?? [] }
    }

    /// The session that a word on the command line means, and the store that holds it.
    func session(_ word: [UInt8]) throws -> (session: StoredSession, store: SessionStore) {
        guard let store else { throw HistoryError.unknownSession(word, nearest: nil, absence: absence) }
        // Names are text: what is not UTF-8 names nothing.
        let name = TextSyntax.firstInvalidByte(word[...]) == nil ? String(decoding: word, as: UTF8.self) : ""
        let found = try Self.told { try store.sessions(named: name) }
        if found.count > 1 { throw HistoryError.ambiguous(word, ids: found.map(\.id.description)) }
        guard let session = found.first else {
            let titles = try sessions().map(\.title)
            throw HistoryError.unknownSession(
                word, nearest: Suggestion.nearest(to: name, among: titles), absence: nil)
        }
        return (session, store)
    }

    /// The one session that the operands name.
    func session(_ operands: [[UInt8]], command: CommandManual) throws -> (session: StoredSession, store: SessionStore)
    {
        guard let word = operands.first else {
            throw UsageError.missingOperand(wanted: "whisper-local \(command.name) SESSION").report
        }
        if operands.count > 1 { throw UsageError.unwantedOperand(operands[1]).report(command: command.name) }
        return try session(word)
    }

    /// The engine's errors as the user sees them.
    static func told<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw EngineErrors.report(error) ?? error }
    }
}
