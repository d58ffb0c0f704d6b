import WhisperEngine

/// From the words of the command line to a command: help and version first, whatever else is wrong.
enum Dispatcher {
    static func run(_ words: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let command = words.first.flatMap { Commands.named(String(decoding: $0, as: UTF8.self)) }
        if Parser.asks(for: ["--help", "-h"], in: words) {
            let help = command.map { Help.text($0.manual, entries: $0.entries) } ?? Help.overview(Commands.manuals)
            try context.streams.writeOutput(help)
            return .success
        }
        if Parser.asks(for: ["--version"], in: words) {
            try context.streams.writeOutput("whisper-local \(Version.text)\n")
            return .success
        }
        guard let first = words.first else {
            context.streams.writeError(Help.shortUsage(Commands.manuals))
            return .usage
        }
        guard let command else { throw unknown(first) }
        try limitInstructions(context.environment)
        return try await command.perform(Array(words.dropFirst()), context: context)
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
        let names = Commands.manuals.map(\.name)
        let error = UsageError.unknownCommand(word, nearest: Suggestion.nearest(to: name, among: names))
        guard name.contains(where: { $0 == "." || $0 == "/" }) else { return error.report(command: nil) }
        return ErrorReport(.usage, error.what, cure: "whisper-local transcribe \(ShellQuoting.quoted(word))")
    }
}
