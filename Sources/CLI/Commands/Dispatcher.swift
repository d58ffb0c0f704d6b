import WhisperEngine

/// From the words of the command line to a command: help and version first, whatever else is wrong.
enum Dispatcher {
    static func run(_ words: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let entry = words.first.flatMap { Commands.named(String(decoding: $0, as: UTF8.self)) }
        if Parser.asks(for: ["--help", "-h"], in: words) {
            try context.streams.writeOutput(help(entry, words))
            return .success
        }
        if Parser.asks(for: ["--version"], in: words) {
            try context.streams.writeOutput(Version.lines.map { $0 + "\n" }.joined())
            return .success
        }
        guard let first = words.first else {
            context.streams.writeError(Help.shortUsage(Commands.entries))
            return .usage
        }
        guard let entry else { throw unknown(first) }
        try limitInstructions(context.environment)
        switch entry {
        case .command(let command): return try await command.perform(Array(words.dropFirst()), context: context)
        case .group(let group):
            guard words.count > 1 else {
                context.streams.writeError(Help.shortUsage(group))
                return .usage
            }
            guard let command = group.member(String(decoding: words[1], as: UTF8.self)) else {
                throw unknown(words[1], in: group)
            }
            return try await command.perform(Array(words.dropFirst(2)), context: context)
        }
    }

    /// Of the command that the first words name, as far as they do.
    private static func help(_ entry: Commands.Entry?, _ words: [[UInt8]]) -> String {
        switch entry {
        case .command(let command): return Help.text(command.manual, entries: command.entries)
        case .group(let group):
            let word = words.count > 1 ? String(decoding: words[1], as: UTF8.self) : ""
            guard let command = group.member(word) else { return Help.overview(group) }
            return Help.text(command.manual, entries: command.entries)
        case nil: return Help.overview(Commands.entries)
        }
    }

    /// For processors, virtual machines and emulators that claim more than they can.
    private static func limitInstructions(_ environment: ProcessEnvironment) throws(ErrorReport) {
        guard let name = environment.text(Processor.instructionSetVariable) else { return }
        let known = Processor.instructionSets
        guard known.contains(name) else {
            throw ErrorReport(
                .usage, "unknown instruction set \(ShellQuoting.quoted(name)) in $\(Processor.instructionSetVariable)",
                cure: known.joined(separator: ", "))
        }
        guard Processor.limit(to: name) else {
            throw ErrorReport(
                .unavailable, "this processor has no \(name) (asked for by $\(Processor.instructionSetVariable))",
                cure: "unset it: the best instruction set is found without it")
        }
    }

    private static func unknown(_ word: [UInt8]) -> ErrorReport {
        let name = String(decoding: word, as: UTF8.self)
        if name.hasPrefix("-") {
            let error = UsageError.unknownOption(word, nearest: nil)
            return ErrorReport(
                .usage, "\(error.what) in front of a command",
                cure: "whisper-local COMMAND [options], the command first")
        }
        let names = Commands.entries.map(\.name)
        let error = UsageError.unknownCommand(word, nearest: Suggestion.nearest(to: name, among: names))
        guard name.contains(where: { $0 == "." || $0 == "/" }) else { return error.report(command: nil) }
        return ErrorReport(.usage, error.what, cure: "whisper-local transcribe \(ShellQuoting.quoted(word))")
    }

    private static func unknown(_ word: [UInt8], in group: CommandGroup) -> ErrorReport {
        let name = String(decoding: word, as: UTF8.self)
        let nearest = Suggestion.nearest(to: name, among: group.words)
        let error = UsageError.unknownCommand(word, nearest: nearest.map { "\(group.name) \($0)" })
        return error.report(command: group.name)
    }
}
