import WhisperEngine

/// All sessions, the latest first.
enum HistoryListCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var printsJSON = false

        init() {}
    }

    static let manual = CommandManual(
        name: "history list", summary: "List sessions, the latest first", usage: ["[--json]"],
        notes: ["Dates are UTC. The id is shown by its first eight digits; --json tells it whole."])

    static let flags: [Flag<Options>] =
        [
            .toggle("--json", in: .output, "one JSON array instead of a table", sets: \.printsJSON, to: true)
        ] + CommonFlags.general()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if let word = operands.first { throw UsageError.unwantedOperand(word).report(command: manual.name) }
        let history = try History(context)
        let sessions = try history.sessions()
        if sessions.isEmpty { context.streams.writeError("\(history.absence)\n") }
        if options.printsJSON {
            try context.streams.writeOutput(SessionTable.json(sessions))
        } else if !sessions.isEmpty {
            try context.streams.writeOutput(SessionTable.text(sessions))
        }
        for session in sessions {
            guard let rest = try history.store.flatMap({ store in try History.told { try store.unrecoveredSamples(of: session) } })
            else { continue }
            let length = TimeSyntax.clock(Double(rest) / Double(AudioChunk.sampleRate))
            context.streams.writeError(
                "note: \(length) of saved sound behind the last final of \(ShellQuoting.quoted(session.title)); "
                    + "whisper-local history recover \(ShellQuoting.quoted(session.title))\n")
        }
        return .success
    }
}
