import WhisperEngine

extension TranscribeCommand {
    static let voiceFlags: [Flag<TranscribeOptions>] = [
        .boolean(
            "--vad-filter", in: .audio,
            "recognize speech alone, silence is left out before; times stay those of the "
                + "recording", sets: \.vad.isOn),
        Flag(
            FlagEntry(
                name: "--vad-model", group: .audio, shape: .value, placeholder: "energy|silero|PATH",
                help: "what tells speech from silence: loudness, or Silero's network, by its installed weights "
                    + "(\(VoiceActivityChoice.fileName)) or a path",
                standard: "silero if installed, else energy", example: "energy",
                completion: .words(["energy", "silero"]))
        ) { (value, options) throws(UsageError) in
            switch String(decoding: value, as: UTF8.self) {
            case "energy": options.vad.model = .energy
            case "silero": options.vad.model = .silero
            default:
                guard !value.isEmpty, !value.contains(0) else {
                    throw .badValue(option: "--vad-model", value: value, wanted: "energy, silero or a path")
                }
                options.vad.model = .weights(FilePath(bytes: value))
            }
        },
        .number(
            "--vad-threshold", in: .audio, "probability from which sound counts as speech", NumberRule(0...1),
            sets: \.vad.threshold),
        .integer(
            "--vad-min-speech-ms", in: .audio, "shorter speech is left out", range: 0...3_600_000,
            sets: \.vad.minSpeechMilliseconds),
        .optionalInteger(
            "--vad-min-silence-ms", in: .audio, "shorter silence is kept", range: 0...3_600_000, noneAllowed: false,
            standard: "\(VoiceActivityOptions.defaultMinSilenceMilliseconds)", sets: \.vad.minSilenceMilliseconds),
        .integer(
            "--vad-speech-pad-ms", in: .audio, "kept before and behind speech", range: 0...3_600_000,
            sets: \.vad.speechPadMilliseconds),
    ]
}
