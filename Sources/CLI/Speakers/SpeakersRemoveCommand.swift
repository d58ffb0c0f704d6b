import WhisperEngine

/// `speakers remove`: forgets voices.
enum SpeakersRemoveCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var skipsConfirmation = false
    }

    static let manual = CommandManual(
        name: "speakers remove", summary: "Forget voices", usage: ["[--yes] NAME …"],
        notes: ["On a terminal, asks before removing each voice. Transcripts keep the names that they have."],
        examples: ["Anna", "--yes Anna Ben"])

    static let flags: [Flag<Options>] = [CommonFlags.yes(sets: \.skipsConfirmation)]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        guard !operands.isEmpty else {
            throw UsageError.missingOperand("no name given", wanted: "whisper-local speakers remove NAME")
        }
        let store = try SpeakerCommands.voices(context.environment)
        let names = try SpeakerCommands.chosen(operands, from: store).map(\.voice.name).filter { name in
            let voice = "the voice of \(TerminalText(line: ShellQuoting.quoted(name)))" as TerminalText
            return try options.skipsConfirmation || context.confirms("remove", voice)
        }
        guard !names.isEmpty else { return .success }
        context.signals.beforeAbort { AtomicFile.removeLeftovers() }
        try VoiceStore.change(store.path) { $0.remove(Set(names)) }
        for name in names {
            try context.streams.writeOutput("removed \(TerminalText(line: ShellQuoting.quoted(name)))\n")
        }
        return .success
    }
}
