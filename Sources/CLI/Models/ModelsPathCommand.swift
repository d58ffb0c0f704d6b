import WhisperEngine

/// `models path`: the file or folder that a name stands for.
enum ModelsPathCommand: Command {
    typealias Options = ModelCommands.NoOptions

    static let manual = CommandManual(
        name: "models path", summary: "Print the path of a model", usage: ["NAME"],
        examples: ["tiny.en"])

    static let flags: [Flag<Options>] = CommonFlags.general()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let name = try ModelCommands.name(operands, command: manual)
        let path = try ModelCommands.search(context).find(name).path
        // For other programs, so the path is neither quoted nor decoded.
        try context.streams.writeOutput(line: path.bytes)
        return .success
    }
}
