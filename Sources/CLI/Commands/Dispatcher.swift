import WhisperEngine

/// Runs the command that the command line names. Help and version come first, even if the rest of the line is wrong.
enum Dispatcher {
    static func run(_ arguments: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let entry = arguments.first.flatMap { Commands.named(String(decoding: $0, as: UTF8.self)) }
        let isLong = Parser.contains(["--help"], in: arguments)
        if isLong || Parser.contains(["-h"], in: arguments) {
            try context.streams.writeOutput(TerminalText(help(entry, arguments, isLong: isLong)))
            return .success
        }
        if Parser.contains(["--version"], in: arguments) {
            try context.streams.writeOutput(TerminalText(Version.lines.map { $0 + "\n" }.joined()))
            return .success
        }
        guard let first = arguments.first else {
            context.streams.writeError(TerminalText(Help.shortUsage(Commands.entries)))
            return .usage
        }
        guard let entry else { throw unknown(first) }
        try prepare(context.environment)
        switch entry {
        case .command(let command): return try await command.perform(Array(arguments.dropFirst()), context: context)
        case .group(let group):
            guard arguments.count > 1 else {
                context.streams.writeError(TerminalText(Help.shortUsage(group)))
                return .usage
            }
            guard let command = group.member(String(decoding: arguments[1], as: UTF8.self)) else {
                throw unknown(arguments[1], in: group)
            }
            return try await command.perform(Array(arguments.dropFirst(2)), context: context)
        }
    }

    /// Checks and sets what all commands need.
    static func prepare(_ environment: ProcessEnvironment) throws {
        try Startup.checkFilesAndClock()
        try limitInstructions(environment)
    }

    /// The help of the command or group that the first arguments name, or the overview.
    private static func help(_ entry: Commands.Entry?, _ arguments: [[UInt8]], isLong: Bool) -> String {
        func help(_ command: any Command.Type) -> String {
            isLong
                ? Help.text(command.manual, entries: command.entries)
                : Help.screen(command.manual, entries: command.entries)
        }
        switch entry {
        case .command(let command): return help(command)
        case .group(let group):
            let word = arguments.count > 1 ? String(decoding: arguments[1], as: UTF8.self) : ""
            if let command = group.member(word) { return help(command) }
            return isLong ? Help.overview(group) : Help.shortUsage(group)
        case nil: return isLong ? Help.overview(Commands.entries) : Help.shortUsage(Commands.entries)
        }
    }

    /// Applies `$WHISPER_LOCAL_INSTRUCTION_SET`, for processors, virtual machines and emulators that report instructions
    /// that do not work.
    private static func limitInstructions(_ environment: ProcessEnvironment) throws(ErrorReport) {
        guard let name = environment.text(Processor.instructionSetVariable) else { return }
        let known = Processor.instructionSets
        guard known.contains(name) else {
            throw ErrorReport(
                .usage,
                "unknown instruction set \(ShellQuoting.inQuotes(name.utf8)) in $\(Processor.instructionSetVariable)",
                advice: "one of: \(known.joined(separator: ", "))")
        }
        guard Processor.limit(to: name) else {
            throw ErrorReport(
                .unavailable, "this processor does not support \(name) (from $\(Processor.instructionSetVariable))",
                advice: "unset it to use the best supported instruction set")
        }
    }

    private static func unknown(_ argument: [UInt8]) -> ErrorReport {
        let name = String(decoding: argument, as: UTF8.self)
        if name.hasPrefix("-") {
            return ErrorReport(
                .usage, "unexpected option \(ShellQuoting.quoted(argument)) before the command",
                advice: "whisper-local COMMAND [options]")
        }
        let names = Commands.entries.map(\.name)
        let error = UsageError.unknownCommand(argument, nearest: Suggestion.nearest(to: name, among: names))
        guard name.contains(where: { $0 == "." || $0 == "/" }) else { return error.report(command: nil) }
        return ErrorReport(.usage, error.what, advice: "whisper-local transcribe \(ShellQuoting.quoted(argument))")
    }

    private static func unknown(_ argument: [UInt8], in group: CommandGroup) -> ErrorReport {
        let name = String(decoding: argument, as: UTF8.self)
        let nearest = Suggestion.nearest(to: name, among: group.words)
        let error = UsageError.unknownCommand(argument, nearest: nearest.map { "\(group.name) \($0)" })
        return error.report(command: group.name)
    }
}
