import WhisperEngine

/// Sessions and their saved sound, for good.
enum HistoryDeleteCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var isSure = false
        var vacuums = false

        init() {}
    }

    static let manual = CommandManual(
        name: "history delete", summary: "Delete sessions with their saved sound", usage: ["[options] SESSION …"],
        notes: ["Asks before each on a terminal. --vacuum may stand alone."],
        examples: ["meeting", "--yes --vacuum meeting"])

    static let flags: [Flag<Options>] =
        [
            .toggle("--yes", "-y", in: .output, "do not ask", sets: \.isSure, to: true),
            .toggle(
                "--vacuum", in: .output, "then give the space back and leave nothing of the text on the disk",
                sets: \.vacuums, to: true),
        ] + CommonFlags.general()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        guard !operands.isEmpty || options.vacuums else {
            throw UsageError.missingOperand(wanted: "whisper-local history delete SESSION").report
        }
        let history = try History(context)
        // All are found before the first is deleted.
        var found: [StoredSession] = []
        for operand in operands {
            let session = try history.session(operand).session
            if !found.contains(session) { found.append(session) }
        }
        if !found.isEmpty, !options.isSure, context.streams.input != .terminal { throw HistoryError.needsYes }
        guard let store = history.store else {
            context.streams.writeError("\(history.absence)\n")
            return .success
        }
        for session in found {
            guard options.isSure || isConfirmed(session, context.streams) else { continue }
            try History.told { try store.delete(session) }
        }
        if options.vacuums { try History.told { try store.vacuum() } }
        return .success
    }

    private static func isConfirmed(_ session: StoredSession, _ streams: StandardStreams) -> Bool {
        let finals = "\(session.finals) final\(session.finals == 1 ? "" : "s")"
        streams.writeError(
            "delete \(ShellQuoting.quoted(session.title)) (\(SessionTable.length(session)), \(finals))? [y/N] ")
        let answer = streams.readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }
}
