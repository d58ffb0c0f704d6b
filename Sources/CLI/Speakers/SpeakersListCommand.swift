import WhisperEngine

/// `speakers list`: whose voices are known.
enum SpeakersListCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var printsJSON = false
    }

    static let manual = CommandManual(
        name: "speakers list", summary: "List the people whose voices are known", usage: ["[--json]"],
        notes: ["SPEECH is how much of it was enrolled. The date is in UTC. The vectors are not shown."])

    static let flags: [Flag<Options>] = [
        .toggle("--json", in: .output, "print a JSON array instead of a table", sets: \.printsJSON, to: true)
    ]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if let operand = operands.first { throw UsageError.unwantedOperand(operand) }
        let store = try SpeakerCommands.voices(context.environment)
        if store.entries.isEmpty { context.streams.writeError("no voices are enrolled\n") }
        if options.printsJSON {
            let voices = store.entries.map { entry in
                JSONText.object([
                    ("name", JSONText.string(entry.voice.name)),
                    ("enrolled", JSONText.string(entry.enrolled.description)),
                    ("speech", JSONText.number(entry.seconds)),
                ])
            }
            try context.streams.writeOutput(TerminalText(JSONText.array(voices) + "\n"))
        } else if !store.entries.isEmpty {
            var table = TextTable(header: ["NAME", "SPEECH", "ENROLLED (UTC)"])
            table.rightAligned = [1]
            table.maximumWidths = [0: 40]
            table.rows = store.entries.map { entry in
                [
                    ShellQuoting.quoted(entry.voice.name), "\(OneDecimal.text(entry.seconds)) s",
                    String(entry.enrolled.description.prefix(10)),
                ]
            }
            try context.streams.writeOutput(TerminalText(table.text))
        }
        return .success
    }
}
