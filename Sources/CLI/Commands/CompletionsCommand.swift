import WhisperEngine

/// `completions`: prints a shell's completion script.
enum CompletionsCommand: Command {
    static let manual = CommandManual(
        name: "completions", summary: "Print a completion script for a shell", usage: ["bash|zsh|fish"],
        examples: [
            "bash > ~/.local/share/bash-completion/completions/whisper-local",
            "zsh > ~/.zfunc/_whisper-local", "fish > ~/.config/fish/completions/whisper-local.fish",
        ], operands: .words(Shell.allCases.map(\.rawValue)))

    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static func run(_ options: NoOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        guard let word = operands.first else {
            throw UsageError.missingOperand("no shell given", wanted: "whisper-local completions bash|zsh|fish")
        }
        guard operands.count == 1 else { throw UsageError.unwantedOperand(operands[1]) }
        let name = String(decoding: word, as: UTF8.self)
        guard let shell = Shell(rawValue: name) else {
            let shells = Shell.allCases.map(\.rawValue)
            throw UsageError.badChoice(
                option: "shell", value: word, choices: shells,
                nearest: Suggestion.nearest(to: name, among: shells))
        }
        let commands = Commands.entries.map { Completions.Command($0) }
        let script =
            switch shell {
            case .bash: Completions.bash(commands)
            case .zsh: Completions.zsh(commands)
            case .fish: Completions.fish(commands)
            }
        try context.streams.writeOutput(TerminalText(script))
        return .success
    }
}
