import WhisperEngine

/// The options of `live`.
struct LiveOptions: ListeningCommandOptions {
    var listening = ListeningOptions()

    // Audio
    var speed = PlaybackSpeed.realTime
    /// Seconds after which to stop; `nil` is no limit.
    var duration: Double?

    var speakers = SpeakerChoice.Options()

    // Listening
    var commit = StreamingOptions().policy
    var step = StreamingOptions().step
    var isDeterministic = false

    // Output
    var printsJSON = false
    var showsTimestamps = true

    // Keeping
    var showsUnsaved = false
    var savedAudio: FilePath?
    /// The audio is saved with the session.
    var keepsAudio = false

    /// The engine's options.
    var streaming: StreamingOptions {
        var options = listening.streaming
        options.policy = commit
        options.step = step
        options.isDeterministic = isDeterministic
        options.showsUnsaved = showsUnsaved
        return options
    }
}

extension LiveCommand {
    static let flags: [Flag<LiveOptions>] =
        (ListeningFlags.model + ListeningFlags.audio).setting(\.listening) + audioFlags + speakerFlags
        + policyFlags
        + (ListeningFlags.detection + ListeningFlags.vocabulary).setting(\.listening) + outputFlags
        + (ListeningFlags.messages + [ListeningFlags.session]).setting(\.listening) + keepingFlags

    private static let audioFlags: [Flag<LiveOptions>] = [
        Flag(
            FlagEntry(
                name: "--speed", group: .audio, shape: .value, placeholder: "X|max",
                help: "playback speed; max: as fast as the model can keep up",
                allowed: "0.01 to 1000 or max", defaultValue: "1", example: "max",
                completion: .words(["1", "2", "max"]))
        ) { (value, options) throws(UsageError) in
            if value == Array("max".utf8) {
                options.speed = .unlimited
            } else {
                let factor = try NumberRange(PlaybackSpeed.range).decimal(value, option: "--speed")
                options.speed = PlaybackSpeed(factor) ?? .realTime
            }
        },
        .time("--duration", in: .audio, "stop after this much audio", example: "90", sets: \.duration),
    ]

    private static let speakerFlags: [Flag<LiveOptions>] = SpeakerFlags.all(
        count: "N is the maximum number", names: "in the order in which they first speak", sets: \.speakers)

    private static let policyFlags: [Flag<LiveOptions>] = [
        .choice(
            "--commit", in: .listening,
            "when words become final: at the end of the utterance, once two passes agree on them, or once the model's "
                + "attention has moved past them", sets: \.commit),
        .number(
            "--step", in: .listening, "seconds between passes over the current utterance", NumberRange(0.25...2),
            sets: \.step),
        .toggle(
            "--deterministic", in: .listening,
            "never skip a pass when late, so that the same audio gives the same text",
            sets: \.isDeterministic, to: true),
    ]

    private static let outputFlags: [Flag<LiveOptions>] = [
        .toggle("--json", in: .output, "print every event as one line of JSON", sets: \.printsJSON, to: true),
        .toggle("--no-timestamps", in: .output, "print text without times", sets: \.showsTimestamps, to: false),
    ]

    private static let keepingFlags: [Flag<LiveOptions>] = [
        .toggle(
            "--show-unsaved", in: .saving, "show final text even while it cannot be saved", sets: \.showsUnsaved,
            to: true),
        .path(
            "--save-audio", nil, "FILE", in: .saving, "save the captured audio as a WAV file", example: "talk.wav",
            offers: .files, sets: \.savedAudio),
        .toggle(
            "--keep-audio", in: .saving, "save the audio with the session, for `history recover`", sets: \.keepsAudio,
            to: true),
    ]
}
