import WhisperEngine

/// A named set of defaults.
enum Preset: String, CaseIterable, Sendable {
    /// This program's own.
    case standard
    /// Those with which the text is openai-whisper's.
    case openAIWhisper = "openai-whisper"
}

/// The options of a command that transcribes recordings.
protocol PresetOptions: ModelOptions {
    var preset: Preset { get set }
    /// `nil` is on if Silero's network is installed.
    var guards: Bool? { get set }
}

extension PresetOptions {
    /// The same options with the preset's values for what the user has not set.
    var withPreset: Self {
        guard preset == .openAIWhisper else { return self }
        var options = self
        if !given.contains("--guard") { options.guards = TranscriptionOptions.openAIWhisper.guards }
        if !given.contains("--compute-type") { options.compute.computeType = .float32 }
        return options
    }
}

extension ModelFlags {
    static func preset<Options: PresetOptions>() -> [Flag<Options>] {
        [
            .choice(
                "--preset", in: .decoding,
                "with openai-whisper, the text is exactly openai-whisper's: --guard false and --compute-type float32 are "
                    + "the defaults", sets: \.preset),
            .boolean(
                "--guard", in: .decoding,
                "use safeguards against invented text, such as skipping long pauses",
                defaultValue: "true if the Silero network is installed", sets: \.guards),
        ]
    }
}
