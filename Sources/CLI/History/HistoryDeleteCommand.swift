import WhisperEngine

/// `history delete`: removes sessions and their saved audio for good.
enum HistoryDeleteCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var skipsConfirmation = false
        var vacuums = false

        init() {}
    }

    static let manual = CommandManual(
        name: "history delete", summary: "Delete sessions and their saved audio", usage: ["[options] SESSION …"],
        notes: ["On a terminal, asks before deleting each session. --vacuum can be used without a SESSION."],
        examples: ["meeting", "--yes --vacuum meeting"])

    static let flags: [Flag<Options>] =
        [
            .toggle("--yes", "-y", in: .output, "do not ask for confirmation", sets: \.skipsConfirmation, to: true),
            .toggle(
                "--vacuum", in: .output, "then shrink the database and wipe deleted text from the disk",
                sets: \.vacuums, to: true),
        ] + CommonFlags.general()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        guard !operands.isEmpty || options.vacuums else {
            throw UsageError.missingOperand("no session given", wanted: "whisper-local history delete SESSION")
        }
        let history = try SessionHistory(context)
        // An unknown session is reported before anything is deleted.
        var sessions: [StoredSession] = []
        for operand in operands {
            let session = try history.session(operand).session
            if !sessions.contains(session) { sessions.append(session) }
        }
        if !sessions.isEmpty, !options.skipsConfirmation, context.streams.input != .terminal {
            throw HistoryError.needsConfirmation
        }
        guard let store = history.store else {
            context.streams.writeError("\(history.absence)\n")
            return .success
        }
        for session in sessions {
            guard options.skipsConfirmation || isConfirmed(session, context.streams) else { continue }
            try store.delete(session)
        }
        if options.vacuums { try store.vacuum() }
        return .success
    }

    private static func isConfirmed(_ session: StoredSession, _ streams: StandardStreams) -> Bool {
        let finals = "\(session.finals) final\(session.finals == 1 ? "" : "s")"
        streams.writeError(
            "delete \(ShellQuoting.quoted(session.title)) (\(session.lengthText), \(finals))? [y/N] ")
        let answer = streams.readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }
}
