import WhisperEngine

/// The options of `dictate`.
struct DictateOptions: ListeningCommandOptions {
    var listening = ListeningOptions()

    /// The microphone is closed between recordings.
    var closesDevice = false

    // Push to talk
    var toggles = false
    var ringsBell = false
    var processIDFile: FilePath?

    /// Spoken signs are written as signs.
    var spokenPunctuation = false

    // Output
    var copies = false
    /// The program that receives each text, and its arguments; empty for none.
    var deliveryCommand: [String] = []
    var appendsSpace = false
}

extension DictateCommand {
    static let flags: [Flag<DictateOptions>] =
        (ListeningFlags.model + ListeningFlags.audio).setting(\.listening) + pushToTalkFlags
        + (ListeningFlags.detection + ListeningFlags.vocabulary).setting(\.listening) + [punctuation] + deliveryFlags
        + (ListeningFlags.messages + [ListeningFlags.session]).setting(\.listening)

    private static let pushToTalkFlags: [Flag<DictateOptions>] = [
        .toggle(
            "--close-device", in: .audio,
            "open the microphone only while recording; the first word may be cut off",
            sets: \.closesDevice, to: true),
        .toggle("--toggle", in: .listening, "one press starts, the next one stops", sets: \.toggles, to: true),
        .toggle(
            "--bell", in: .listening, "ring the terminal bell when recording starts and when text is delivered",
            sets: \.ringsBell, to: true),
        .path(
            "--pid-file", nil, "FILE", in: .listening,
            "write the process ID to this file, which must be new, for sending signals",
            example: "$XDG_RUNTIME_DIR/dictate.pid", offers: .files, sets: \.processIDFile),
    ]

    private static let punctuation: Flag<DictateOptions> = .toggle(
        "--spoken-punctuation", in: .vocabulary,
        "write spoken signs, such as comma, question mark and new line, as signs ("
            + SpokenPunctuation.languages.joined(separator: ", ") + ")",
        sets: \.spokenPunctuation, to: true)

    private static let deliveryFlags: [Flag<DictateOptions>] = [
        .toggle(
            "--copy", in: .output, "also copy the text to the clipboard (with wl-copy, xclip or xsel)",
            sets: \.copies, to: true),
        Flag(
            FlagEntry(
                name: "--deliver", group: .output, shape: .value, placeholder: "COMMAND",
                help: "also pass the text to this command's standard input; the command runs without a shell",
                example: "'wtype -'")
        ) { (value, options) throws(UsageError) in
            let text = try ValueSyntax.utf8(value, option: "--deliver")
            guard let words = ShellWords.split(text), !words.isEmpty else {
                throw .badValue(
                    option: "--deliver", value: value, wanted: "a program and its arguments, with balanced quotes")
            }
            options.deliveryCommand = words
        },
        .toggle("--append-space", in: .output, "end each text with a space", sets: \.appendsSpace, to: true),
    ]
}
