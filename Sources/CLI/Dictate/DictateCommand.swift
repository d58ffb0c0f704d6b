import WhisperEngine

/// Push to talk: hold a key, speak, release it, have the text.
enum DictateCommand: Command {
    static let manual = CommandManual(
        name: "dictate", summary: "Hold a key, speak, release it, have the text", usage: ["[options]"],
        notes: [
            "Hold SPACE in a terminal, or send SIGUSR1 to begin and SIGUSR2 to end (for a desktop's hot keys). Escape "
                + "drops what is being said; q quits. Where a terminal tells no releases and the key does not repeat, "
                + "tapping it begins and ends.",
            "The text goes to standard output, and with --copy or --deliver also to the clipboard or to a program's "
                + "standard input. Nothing is kept unless --session asks for it.",
        ],
        examples: ["--copy --bell", "--deliver 'wtype -' --append-space", "--toggle --pid-file /tmp/dictate.pid"])

    static let flags: [Flag<DictateOptions>] =
        ModelFlags.weights() + ModelFlags.spoken() + ModelFlags.compute()
        + ListeningFlags.sound() + talkFlags + ListeningFlags.detection() + deliveryFlags + ListeningFlags.talk()
        + [ListeningFlags.session()] + CommonFlags.general()

    static func check(_ options: DictateOptions) throws(UsageError) {
        try ListeningChecks.check(options)
        if options.given.contains("--close-device"), options.file != nil {
            throw .contradiction("--close-device", "--file", why: "a recording is no device")
        }
    }

    static func run(_ options: DictateOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus
    {
        if options.listsLanguages { return try Languages.list(context.streams) }
        if let word = operands.first { throw UsageError.unwantedOperand(word).report(command: manual.name) }
        let input = try AudioInput(options, operands: [], command: manual.name, context: context)
        return try await DictateRun(options: options, input: input, context: context).run()
    }

    private static let talkFlags: [Flag<DictateOptions>] = [
        .toggle(
            "--close-device", in: .audio,
            "hold the microphone only while something is said; words may lose their start",
            sets: \.closesDevice, to: true),
        .toggle("--toggle", in: .listening, "a press begins, the next one ends", sets: \.toggles, to: true),
        .toggle(
            "--bell", in: .listening, "ring the terminal's bell at the start and at delivery", sets: \.ringsBell,
            to: true),
        .path(
            "--pid-file", nil, "FILE", in: .listening, "write the process's number there, for who sends signals",
            example: "/tmp/dictate.pid", offers: .files, sets: \.processFile),
    ]

    private static let deliveryFlags: [Flag<DictateOptions>] = [
        .toggle(
            "--copy", in: .output, "put the text into the clipboard, too (wl-copy, xclip or xsel)", sets: \.copies,
            to: true),
        Flag(
            FlagEntry(
                name: "--deliver", group: .output, shape: .value, placeholder: "COMMAND",
                help: "give the text to this program's standard input, too; no shell reads the command",
                example: "'wtype -'")
        ) { (value, options) throws(UsageError) in
            let text = try TextSyntax.utf8(value, option: "--deliver")
            guard let words = CommandWords.split(text), !words.isEmpty else {
                throw .badValue(
                    option: "--deliver", value: value, wanted: "a program and its arguments, with quotes in pairs")
            }
            options.command = words
        },
        .toggle("--append-space", in: .output, "end each text with a space", sets: \.appendsSpace, to: true),
    ]
}
