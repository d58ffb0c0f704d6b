import WhisperEngine

/// The options of `dictate`.
struct DictateOptions: ListeningOptions {
    var given: Set<String> = []

    // Model
    var model: FilePath?
    var modelFolder: FilePath?
    var language: Language?
    var listsLanguages = false
    var task = TranscriptionTask.transcribe
    var compute = ComputeOptions()

    // Audio
    var device: String?
    var file: FilePath?
    var raw: RawFormat?
    /// The microphone is closed between recordings.
    var closesDevice = false

    // Listening
    var detector = DetectorChoice.energy
    var detectsSpeech = true
    var usesContext = true
    var filtersPhrases = true

    // Push to talk
    var toggles = false
    var ringsBell = false
    var processIDFile: FilePath?

    // Output
    var copies = false
    /// The program that receives each text, and its arguments; empty for none.
    var deliveryCommand: [String] = []
    var appendsSpace = false
    var color = ColorChoice.auto
    var verbosity = TranscribeOptions.Verbosity.normal
    var session: String?

    init() {}
}

extension DictateCommand {
    static let flags: [Flag<DictateOptions>] =
        ModelFlags.weights() + ModelFlags.spoken() + ModelFlags.compute()
        + ListeningFlags.audio() + pushToTalkFlags + ListeningFlags.detection() + deliveryFlags
        + ListeningFlags.messages() + [ListeningFlags.session()] + CommonFlags.general()

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
            "--pid-file", nil, "FILE", in: .listening, "write the process ID to this file, for sending signals",
            example: "/tmp/dictate.pid", offers: .files, sets: \.processIDFile),
    ]

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
