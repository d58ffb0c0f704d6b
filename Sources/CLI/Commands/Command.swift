import WhisperEngine

/// A command, such as `transcribe` or `history list`.
///
/// To add one, write a type that conforms to this protocol in its own folder and list it in `Commands.entries`, or
/// in a `CommandGroup` there. Options shared by several commands are declared in `Options/`. Help and completions are
/// generated from `manual` and `flags`.
protocol Command: Sendable {
    associatedtype Options: OptionValues = NoOptions
    static var manual: CommandManual { get }
    /// The command's own options; every command also has the general ones. The default is none.
    static var flags: [Flag<Options>] { get }
    /// Rejects options that contradict each other. The default accepts everything.
    static func check(_ options: Options) throws(UsageError)
    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus
}

/// The options of a command that has none of its own.
struct NoOptions: OptionValues {
    var given: Set<String> = []
}

/// The help of a command, apart from its options.
struct CommandManual: Sendable {
    let name: String
    /// One phrase, without a full stop.
    let summary: String
    /// What follows the command's name, one line for each form.
    let usage: [String]
    /// Paragraphs between the usage and the options.
    var notes: [String] = []
    var examples: [String] = []
    /// What a shell offers as completions of the operands.
    var operands = FlagEntry.Completion.nothing
    /// Whether the help lists what the exit statuses mean.
    var listsStatuses = false
    /// The ten options that `-h` shows; empty for a command with no more than ten, which shows them all.
    var mostUsed: [String] = []

    /// `list` for `history list`.
    var lastWord: String { String(name.split(separator: " ").last ?? "") }

    /// The operand of a command that takes exactly one.
    ///
    /// - Parameter placeholder: what stands for it in the usage.
    func onlyOperand(of operands: [[UInt8]], _ what: String, _ placeholder: String) throws(UsageError) -> [UInt8] {
        guard let operand = operands.first else {
            throw .missingOperand("no \(what) given", wanted: "whisper-local \(name) \(placeholder)")
        }
        if operands.count > 1 { throw .unwantedOperand(operands[1]) }
        return operand
    }
}

/// Everything that a command needs from its process.
struct CommandContext: Sendable {
    let environment: ProcessEnvironment
    let streams: StandardStreams
    let signals: Signals
    let config: ConfigFile
}

/// Commands that share their first word, such as `history list` and `history show`.
struct CommandGroup: Sendable {
    typealias Member = any Command.Type

    let name: String
    /// One phrase, without a full stop.
    let summary: String
    var notes: [String] = []
    /// Each member's name is the group's name and one more word.
    let members: [Member]

    /// The member with this second word.
    func member(_ word: String) -> Member? {
        members.first { $0.manual.name == "\(name) \(word)" }
    }

    /// The members' second words, in the order of the help.
    var words: [String] { members.map { $0.manual.lastWord } }
}

extension Command {
    static var flags: [Flag<Options>] { [] }
    static func check(_ options: Options) throws(UsageError) {}

    static var allFlags: [Flag<Options>] { flags + CommonFlags.general() }
    static var entries: [FlagEntry] { allFlags.map(\.entry) }

    /// Parses the arguments after the command's name, applies the config file and runs the command.
    static func perform(_ arguments: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let (flags, entries) = (allFlags, entries)
        let others = Commands.all.filter { $0 != self }.map { (command: $0.manual.name, entries: $0.entries) }
        do {
            let line = try Parser.parse(arguments, entries: entries, others: others)
            let ignoresConfig = line.settings.contains { flags[$0.flag].entry.name == CommonFlags.noConfig }
            let options = try Parser.options(line, flags: flags) { options in
                // A command with only general options works even if the file is broken: `doctor` reports what is wrong.
                if !ignoresConfig, entries.contains(where: { $0.group != .general }) {
                    try context.config.apply(flags, to: &options)
                }
            }
            try check(options)
            return try await run(options, operands: line.operands, context: context)
        } catch let error as UsageError {
            throw error.report(command: manual.name)
        }
    }
}
