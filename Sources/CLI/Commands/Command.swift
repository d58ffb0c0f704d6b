import WhisperEngine

/// A word behind `whisper-local`, with its options and its work.
protocol Command: Sendable {
    associatedtype Options: OptionValues
    static var manual: CommandManual { get }
    static var flags: [Flag<Options>] { get }
    /// Finds contradictions among the options; the default finds none.
    static func check(_ options: Options) throws(UsageError)
    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus
}

extension Command {
    static func check(_ options: Options) throws(UsageError) {}

    static var entries: [FlagEntry] { flags.map(\.entry) }

    /// Parses the words behind the command's name, with the config file's lines first, and does the work.
    static func perform(_ words: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let others = Commands.all.filter { $0 != self }.map { (command: $0.manual.name, entries: $0.entries) }
        let options: Options
        let line: Parser.Line
        do {
            line = try Parser.line(words, entries: entries, others: others)
            let leavesConfig = line.settings.contains { flags[$0.flag].entry.name == CommonFlags.noConfig }
            options = try Parser.options(line, flags: flags) { options in
                // What has no options of its own works with a broken file, too: `doctor` tells what is wrong with it.
                if !leavesConfig, entries.contains(where: { $0.group != .general }) {
                    try context.config.apply(flags, to: &options)
                }
            }
            try check(options)
        } catch let error as UsageError {
            throw error.report(command: manual.name)
        }
        return try await run(options, operands: line.operands, context: context)
    }
}
