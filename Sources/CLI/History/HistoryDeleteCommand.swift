import WhisperEngine

/// `history delete`: removes sessions and their saved audio for good.
enum HistoryDeleteCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var skipsConfirmation = false
        var vacuums = false
    }

    static let manual = CommandManual(
        name: "history delete", summary: "Delete sessions and their saved audio", usage: ["[options] SESSION …"],
        notes: ["On a terminal, asks before deleting each session. --vacuum can be used without a SESSION."],
        examples: ["meeting", "--yes --vacuum meeting"])

    static let flags: [Flag<Options>] = [
        CommonFlags.yes(sets: \.skipsConfirmation),
        .toggle(
            "--vacuum", in: .output, "then shrink the database and wipe deleted text from the disk",
            sets: \.vacuums, to: true),
    ]

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
        guard let store = history.store else {
            context.streams.writeError("\(history.absence)\n")
            return .success
        }
        for session in sessions {
            if try options.skipsConfirmation || context.confirms("delete", description(of: session)) {
                try store.delete(session)
            }
        }
        if options.vacuums { try store.vacuum() }
        return .success
    }

    private static func description(of session: StoredSession) -> TerminalText {
        "\(ShellQuoting.quoted(session.title)) (\(session.lengthText), \(Counted.text(session.finals, "final")))"
    }
}
