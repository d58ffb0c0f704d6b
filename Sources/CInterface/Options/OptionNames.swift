/// How options are called in JSON.
enum OptionNames {
    /// Those whose names are not the engine's.
    private static let others = [
        "audioContext": "audio_ctx", "guards": "guard", "languageThreshold": "language_detection_threshold",
        "languageWindows": "language_detection_segments", "logprobThreshold": "log_prob_threshold",
        "promptResetTemperature": "prompt_reset_on_temperature", "temperatures": "temperature",
        "voiceActivity": "vad_filter",
    ]

    /// The name of a property of the engine's options.
    static func inJSON(_ property: String) -> String {
        if let name = others[property] { return name }
        return property.reduce(into: "") { name, character in
            if character.isUppercase { name += "_" }
            name += character.lowercased()
        }
    }
}
