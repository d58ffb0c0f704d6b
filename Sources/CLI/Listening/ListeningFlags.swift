import WhisperEngine

/// The flags shared by `live` and `dictate`, by help section.
enum ListeningFlags {
    static let model: [Flag<ListeningOptions>] =
        ModelFlags.weights() + ModelFlags.spoken() + ModelFlags.compute()

    static let audio: [Flag<ListeningOptions>] = [
        .text(
            "--device", nil, "NAME", in: .audio,
            "microphone, by ALSA name (default $\(AudioInput.deviceVariable), else the system default)",
            example: "default", sets: \.device),
        .toggle("--list-devices", in: .audio, "list the microphones", sets: \.listsDevices, to: true),
        .path(
            "--file", nil, "FILE", in: .audio, "play a recording in real time", example: "talk.wav",
            offers: .files, sets: \.file),
        .raw(
            "standard input or the file is headerless samples, such as s16le:16000:1 (encoding, rate, channels)",
            sets: \.raw),
    ]

    static let detection: [Flag<ListeningOptions>] = [
        .choice(
            "--vad-model", in: .listening, "speech detector; auto uses energy, and silero in loud noise",
            sets: \.detector),
        .toggle("--no-vad", in: .listening, "turn speech detection off", sets: \.detectsSpeech, to: false),
        .toggle(
            "--no-context", in: .listening, "recognize speech without the words and audio that precede it",
            sets: \.usesContext,
            to: false),
        .toggle(
            "--no-phrase-filter", in: .listening,
            "keep stock phrases that models invent in silence", sets: \.filtersPhrases, to: false),
    ]

    static let vocabulary: [Flag<ListeningOptions>] = VocabularyFlags.all(sets: \.vocabulary)

    static let session: Flag<ListeningOptions> = {
        let entry = FlagEntry(
            name: "--session", group: .saving, shape: .value, placeholder: "NAME",
            help: "save final text under this name, always before it is shown; an existing session is continued",
            example: "standup")
        return Flag(entry) { (value, options) throws(UsageError) in
            let name = try ValueSyntax.utf8(value, option: "--session")
            guard (1...SessionStore.maxNameBytes).contains(value.count) else {
                throw .badValue(
                    option: "--session", value: value, wanted: "a name of 1 to \(SessionStore.maxNameBytes) bytes")
            }
            options.session = name
        }
    }()

    static let messages: [Flag<ListeningOptions>] = [
        .choice("--color", in: .output, "colors and dim text", sets: \.color),
        .quiet(sets: \.verbosity), .verbose(sets: \.verbosity),
    ]
}
