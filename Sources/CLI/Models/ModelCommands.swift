/// The `models` commands.
enum ModelCommands {
    static let group = CommandGroup(
        name: "models", summary: "Convert models", members: [ModelsConvertCommand.self])
}
