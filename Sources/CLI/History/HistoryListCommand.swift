import WhisperEngine

/// `history list`: all sessions, latest first.
enum HistoryListCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var printsJSON = false
    }

    static let manual = CommandManual(
        name: "history list", summary: "List sessions, latest first", usage: ["[--json]"],
        notes: ["Dates are in UTC. IDs are shortened to eight digits; --json prints them in full."])

    static let flags: [Flag<Options>] = [
        .toggle("--json", in: .output, "print a JSON array instead of a table", sets: \.printsJSON, to: true)
    ]

    private static let maximumNameWidth = 40

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if let operand = operands.first { throw UsageError.unwantedOperand(operand) }
        let history = try SessionHistory(context)
        let sessions = try history.sessions()
        if sessions.isEmpty { context.streams.writeError("\(history.absence)\n") }
        if options.printsJSON {
            try context.streams.writeOutput(TerminalText(json(sessions)))
        } else if !sessions.isEmpty {
            try context.streams.writeOutput(TerminalText(table(sessions)))
        }
        for session in sessions {
            guard let samples = try history.store?.unrecoveredSamples(of: session) else { continue }
            let length = Timestamp.clock(AudioChunk.seconds(of: samples))
            let name = ShellQuoting.quoted(session.title)
            context.streams.writeError(
                "note: \(name) has \(length) of saved audio after its last final text; "
                    + "run whisper-local history recover \(name)\n")
        }
        return .success
    }

    private static func table(_ sessions: [StoredSession]) -> String {
        var table = TextTable(header: ["NAME", "STARTED (UTC)", "LENGTH", "FINALS", "STATE", "MODEL", "ID"])
        table.rightAligned = [2, 3]
        table.maximumWidths = [0: maximumNameWidth]
        table.rows = sessions.map { session in
            [
                ShellQuoting.quoted(session.title), session.startedText, session.lengthText, "\(session.finals)",
                session.stateText, ShellQuoting.quoted(session.model),
                ShellQuoting.quoted(Array(session.id.description.utf8.prefix(8))),
            ]
        }
        return table.text
    }

    private static func json(_ sessions: [StoredSession]) -> String {
        JSONText.array(
            sessions.map { session in
                JSONText.object([
                    ("id", JSONText.string(session.id.description)), ("name", JSONText.string(session.title)),
                    ("started", JSONText.string(session.created)), ("ended", JSONText.string(session.closed)),
                    ("state", JSONText.string(session.stateText)), ("length", JSONText.number(session.seconds)),
                    ("finals", "\(session.finals)"), ("source", JSONText.string(session.source)),
                    ("model", JSONText.string(session.model)), ("language", JSONText.string(session.language)),
                ])
            }) + "\n"
    }
}
