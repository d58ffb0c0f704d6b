import WhisperEngine

/// What the server says of itself: Home Assistant offers the languages of the installed models.
enum WyomingInfo {
    private static let project = ("whisper-local", "https://github.com/openai/whisper")

    /// The data of an `info` event. Loads no model.
    static func json(_ models: any ModelProvider, version: String) async -> String {
        var list: [String] = []
        for name in [models.defaultModel] + models.names.filter({ $0 != models.defaultModel }) {
            // A model that cannot be opened is not offered.
            guard let languages = await models.traits(of: name)?.languages else { continue }
            list.append(
                JSONText.object(
                    common(name, description: name, version: "") + [
                        ("languages", JSONText.array(languages.map { JSONText.string($0.code) }))
                    ]))
        }
        let program = common(project.0, description: "Whisper and Parakeet on this machine", version: version)
        return JSONText.object([
            (
                "asr",
                JSONText.array([
                    JSONText.object(
                        program + [
                            ("models", JSONText.array(list)), ("supports_transcript_streaming", "false"),
                            ("requires_external_vad", "true"), ("prefers_auto_gain_enabled", "false"),
                            ("prefers_noise_reduction_enabled", "false"),
                        ])
                ])
            )
        ])
    }

    /// Members that clients require of programs and models.
    private static func common(_ name: String, description: String, version: String) -> [(String, String)] {
        [
            ("name", JSONText.string(name)), ("description", JSONText.string(description)),
            ("version", version.isEmpty ? "null" : JSONText.string(version)), ("installed", "true"),
            (
                "attribution",
                JSONText.object([("name", JSONText.string(project.0)), ("url", JSONText.string(project.1))])
            ),
        ]
    }
}
