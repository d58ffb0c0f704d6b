import WhisperEngine

/// `speakers remove`: forgets voices.
enum SpeakersRemoveCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var skipsConfirmation = false

        init() {}
    }

    static let manual = CommandManual(
        name: "speakers remove", summary: "Forget voices", usage: ["[--yes] NAME …"],
        notes: ["On a terminal, asks before removing each voice. Transcripts keep the names that they have."],
        examples: ["Anna", "--yes Anna Ben"])

    static let flags: [Flag<Options>] =
        [
            .toggle("--yes", "-y", in: .output, "do not ask for confirmation", sets: \.skipsConfirmation, to: true)
        ] + CommonFlags.general()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        guard !operands.isEmpty else {
            throw UsageError.missingOperand("no name given", wanted: "whisper-local speakers remove NAME")
        }
        let store = try SpeakerCommands.voices(context.environment)
        var names = try SpeakerCommands.chosen(operands, from: store).map(\.voice.name)
        if !options.skipsConfirmation {
            guard context.streams.input == .terminal else {
                throw ErrorReport(
                    .usage, "cannot ask for confirmation: standard input is not a terminal",
                    advice: "add --yes to remove without asking")
            }
            names = names.filter { name in
                context.streams.writeError(
                    "remove the voice of \(TerminalText(line: ShellQuoting.quoted(name)))? [y/N] ")
                let answer = context.streams.readLine()?.lowercased()
                return answer == "y" || answer == "yes"
            }
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
