import WhisperEngine

/// Speech to text while it is spoken.
enum LiveCommand: Command {
    static let manual = CommandManual(
        name: "live", summary: "Write down speech while it is spoken",
        usage: ["[options]", "[options] --file FILE", "[options] --raw FORMAT -"],
        notes: [
            "Hears the microphone, a recording played as if it were spoken now, or samples from standard input (-). On a "
                + "terminal each utterance is a line that grows; what may still change is dim. Elsewhere an utterance is "
                + "written when it is over, and with --json everything is told as it happens, an object a line.",
            "Ctrl-C ends it after all that was heard is written; a second one drops what is not final yet. Space or p "
                + "pauses and goes on. With --session nothing that was shown can be lost.",
        ],
        examples: ["", "--session standup --language de", "--json | jq", "--file talk.mp3 --speed max"])

    static let flags: [Flag<LiveOptions>] =
        ModelFlags.weights() + ModelFlags.spoken() + ModelFlags.compute()
        + ListeningFlags.sound() + soundFlags + policyFlags + ListeningFlags.detection() + outputFlags
        + ListeningFlags.talk() + [ListeningFlags.session()] + keepingFlags + CommonFlags.general()

    static func check(_ options: LiveOptions) throws(UsageError) {
        try ListeningChecks.check(options)
        let given = options.given
        if given.contains("--speed"), options.file == nil { throw .needs("--speed", "--file") }
        if given.contains("--show-unsaved"), options.session == nil { throw .needs("--show-unsaved", "--session") }
        if given.contains("--keep-audio"), options.session == nil { throw .needs("--keep-audio", "--session") }
        if given.contains("--keep-audio"), given.contains("--save-audio") {
            throw .contradiction("--keep-audio", "--save-audio", why: "the sound is saved in one place")
        }
        if given.contains("--json"), given.contains("--no-timestamps") {
            throw .contradiction("--json", "--no-timestamps", why: "objects have times")
        }
    }

    static func run(_ options: LiveOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if options.listsLanguages { return try Languages.list(context.streams) }
        if options.listsDevices { return try AudioInput.list(context.streams) }
        let input = try AudioInput(options, operands: operands, command: manual.name, context: context)
        return try await LiveRun(options: options, input: input, context: context).run()
    }

    private static let soundFlags: [Flag<LiveOptions>] = [
        .toggle("--list-devices", in: .audio, "list the microphones", sets: \.listsDevices, to: true),
        Flag(
            FlagEntry(
                name: "--speed", group: .audio, shape: .value, placeholder: "X|max",
                help: "play the recording so many times as fast as it was spoken; max: as fast as it is recognized",
                allowed: "0.01 to 1000 or max", standard: "1", example: "max", completion: .words(["1", "2", "max"]))
        ) { (value, options) throws(UsageError) in
            if value == Array("max".utf8) {
                options.speed = .unlimited
            } else {
                let factor = try NumberRule(PlaybackSpeed.range).decimal(value, option: "--speed")
                options.speed = PlaybackSpeed(factor) ?? .realTime
            }
        },
        .time("--duration", in: .audio, "end after so much sound", example: "90", sets: \.duration),
    ]

    private static let policyFlags: [Flag<LiveOptions>] = [
        .choice(
            "--commit", in: .listening,
            "when words become final: at the end of their utterance, when two passes agree, or when the network's "
                + "attention has left them", sets: \.commit),
        .number(
            "--step", in: .listening, "seconds between two passes over an open utterance", NumberRule(0.25...2),
            sets: \.step),
        .toggle(
            "--deterministic", in: .listening, "leave out no pass when late, so that equal sound gives equal text",
            sets: \.isDeterministic, to: true),
    ]

    private static let outputFlags: [Flag<LiveOptions>] = [
        .toggle("--json", in: .output, "tell everything, one JSON object a line", sets: \.printsJSON, to: true),
        .toggle("--no-timestamps", in: .output, "text without its times", sets: \.showsTimestamps, to: false),
    ]

    private static let keepingFlags: [Flag<LiveOptions>] = [
        .toggle(
            "--show-unsaved", in: .keeping, "show what is final even while it cannot be written down",
            sets: \.showsUnsaved, to: true),
        .path(
            "--save-audio", nil, "FILE", in: .keeping, "save what is heard as a WAV file", example: "talk.wav",
            offers: .files, sets: \.savedAudio),
        .toggle(
            "--keep-audio", in: .keeping, "save it beside the session, for `history recover`", sets: \.keepsAudio,
            to: true),
    ]
}
