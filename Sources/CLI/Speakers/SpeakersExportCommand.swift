import WhisperEngine

/// `speakers export`: the voices as JSON, for another program or computer.
enum SpeakersExportCommand: Command {
    static let manual = CommandManual(
        name: "speakers export", summary: "Print known voices as JSON", usage: ["[NAME …]"],
        notes: [
            "Without a NAME, prints all voices. On another computer, the output can be used as "
                + "$XDG_DATA_HOME/whisper-local/voices.json. Anyone who has it can recognize these people, so protect "
                + "it like that file."
        ],
        examples: ["> voices.json", "Anna Ben"])

    static func run(_ options: NoOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let store = try SpeakerCommands.voices(context.environment)
        if operands.isEmpty, store.entries.isEmpty { context.streams.writeError("no voices are enrolled\n") }
        let entries = operands.isEmpty ? store.entries : try SpeakerCommands.chosen(operands, from: store)
        try context.streams.writeOutput(TerminalText(VoiceStore.text(of: entries)))
        return .success
    }
}
