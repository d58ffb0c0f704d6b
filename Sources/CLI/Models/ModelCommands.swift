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

    static func search(_ context: CommandContext) -> ModelSearch {
        ModelSearch(environment: context.environment, executable: ProcessEnvironment.executable)
    }
}
