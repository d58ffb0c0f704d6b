import WhisperEngine

/// The options of `dictate`.
struct DictateOptions: ListeningCommandOptions {
    var listening = ListeningOptions()

    /// The microphone is closed between recordings.
    var closesDevice = false

    // Push to talk
    var toggles = false
    /// The key to hold, whichever window has the keyboard.
    var key: KeyChoice?
    var ringsBell = false
    /// Sounds say when a recording starts and ends.
    var playsSounds = true
    /// Seconds without a recording after which the model is unloaded; `nil` keeps it.
    var unloadTime: Double? = 900

    // `dictate status`
    var followsStatus = false
    var printsJSON = false

    /// Spoken signs are written as signs.
    var spokenPunctuation = false

    // Output
    /// How texts get into the focused window; `nil` types nothing.
    var typing: TypingChoice?
    var pasteKey = PasteKey.shiftInsert
    var copies = false
    /// The program that receives each text, and its arguments; empty for none.
    var deliveryCommand: [String] = []
    /// What each text ends with.
    var ending: TextEnding?
}

/// The argument of `--append`.
enum TextEnding: String, CaseIterable, Sendable {
    case space, newline

    var text: String { self == .space ? " " : "\n" }
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
        Flag(
            FlagEntry(
                name: "--key", group: .listening, shape: .value, placeholder: "KEY",
                help: "hold a key, whichever window is focused: portal asks the desktop for one, and portal:CTRL+ALT+d "
                    + "proposes it; F1 to F24, ScrollLock, Pause, RightCtrl, … or a number of "
                    + "linux/input-event-codes.h is this key of any keyboard, which needs the group input, whose members "
                    + "can read every key that is typed",
                example: "portal")
        ) { (value, options) throws(UsageError) in
            guard let key = KeyChoice(try ValueSyntax.utf8(value, option: "--key")) else {
                throw .badValue(
                    option: "--key", value: value,
                    wanted: "a number, or one of \(KeyChoice.names.joined(separator: ", "))")
            }
            options.key = key
        },
        .toggle(
            "--bell", in: .listening, "ring the terminal bell when recording starts and when text is delivered",
            sets: \.ringsBell, to: true),
        .toggle(
            "--no-sounds", in: .listening, "play no sounds when recording starts and ends", sets: \.playsSounds,
            to: false),
        ModelFlags.unloadAfter(
            "unload the model after this long without a recording", in: .listening, defaultValue: "15m",
            sets: \.unloadTime),
        .toggle("--follow", in: .listening, "status: print a line for each change", sets: \.followsStatus, to: true),
        .toggle("--json", in: .listening, "status: print JSON, as Waybar reads it", sets: \.printsJSON, to: true),
    ]

    private static let punctuation: Flag<DictateOptions> = .toggle(
        "--spoken-punctuation", in: .vocabulary,
        "write spoken signs, such as comma, question mark and new line, as signs ("
            + SpokenPunctuation.languages.joined(separator: ", ") + ")",
        sets: \.spokenPunctuation, to: true)

    private static let deliveryFlags: [Flag<DictateOptions>] = [
        .optionalChoice(
            "--type", in: .output, "also type the text into the focused window; auto chooses by what works here",
            without: .auto, sets: \.typing),
        .choice(
            "--paste-key", in: .output, "the key by which --type pastes what it cannot type", sets: \.pasteKey),
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
        .optionalChoice(
            "--append", in: .output, "end each text with a space or a new line", without: .space, sets: \.ending),
    ]
}
