import WhisperEngine

/// What the page offers: the models with what they can do, the names of all languages, and the limits of the server.
/// Unlike `/v1/models`, omits the aliases for cloud clients.
enum PageChoices {
    /// - Parameter fileLimit: maximum size of a recording in bytes.
    static func response(_ models: any ModelProvider, fileLimit: Int) async -> Response {
        var known: [String] = []
        for name in models.names { known.append(model(name, await models.traits(of: name))) }
        let languages = Language.all.map { language in
            JSONText.object([("code", JSONText.string(language.code)), ("name", JSONText.string(language.name))])
        }
        return .json(
            JSONText.object([
                ("models", JSONText.array(known)),
                ("default", JSONText.string(models.defaultModel)), ("languages", JSONText.array(languages)),
                ("speakers", "\(models.hasSpeakerNetworks)"),
                ("limit", fileLimit < OpenAISettings.unlimitedUpload ? "\(fileLimit)" : "null"),
            ]))
    }

    /// - Parameter traits: `nil` if the model cannot be opened; the error comes when it is used.
    private static func model(_ name: String, _ traits: ModelTraits?) -> String {
        JSONText.object([
            ("name", JSONText.string(name)),
            ("languages", JSONText.array((traits?.languages ?? Language.all).map { JSONText.string($0.code) })),
            ("takesLanguage", "\(traits?.takesLanguage ?? true)"),
            ("translates", "\(traits?.translation == .trained)"),
        ])
    }
}
