import WhisperEngine

/// `models path`: the file or folder that a name stands for.
enum ModelsPathCommand: Command {
    static let manual = CommandManual(
        name: "models path", summary: "Print the path of a model", usage: ["NAME"],
        examples: ["tiny.en"])

    static func run(_ options: NoOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let name = try manual.onlyOperand(of: operands, "model", "NAME")
        let path = try ModelCommands.search(context).find(name).path
        // For other programs, so the path is neither quoted nor decoded.
        try context.streams.writeOutput(line: path.bytes)
        return .success
    }
}
