import WhisperEngine

/// The `models` commands.
enum ModelCommands {
    static let group = CommandGroup(
        name: "models", summary: "List, download, check, convert and remove models",
        notes: [
            "A NAME is one of openai-whisper's (tiny.en, base, small, …, large-v3, turbo), with a suffix if the model is "
                + "quantized (base-q5_1), the ID of a repository in the Hugging Face cache (openai/whisper-small), or "
                + "the name of a file in one of these places:",
            "$WHISPER_LOCAL_MODELS, $XDG_DATA_HOME/whisper-local/models, openai-whisper's cache, the Hugging "
                + "Face cache (models of faster-whisper and transformers), and the models that come with this program. "
                + "If several have the name, the first place in this order wins.",
        ],
        members: [
            ModelsListCommand.self, ModelsPullCommand.self, ModelsInfoCommand.self, ModelsPathCommand.self,
            ModelsVerifyCommand.self, ModelsConvertCommand.self, ModelsRemoveCommand.self,
        ])

    /// The options of a `models` command that has none of its own.
    struct NoOptions: OptionValues {
        var given: Set<String> = []
        init() {}
    }

    static func search(_ context: CommandContext) -> ModelSearch {
        ModelSearch(environment: context.environment, executable: ProcessEnvironment.executable)
    }

    /// The only operand.
    static func name(_ operands: [[UInt8]], command: CommandManual) throws(UsageError) -> [UInt8] {
        guard let operand = operands.first else {
            throw .missingOperand("no model given", wanted: "whisper-local \(command.name) NAME")
        }
        if operands.count > 1 { throw .unwantedOperand(operands[1]) }
        return operand
    }
}
