/// The help section that an option is listed in, in the order of the help.
package enum FlagGroup: String, CaseIterable, Sendable {
    case model = "Model"
    case audio = "Audio"
    case speakers = "Speakers"
    case listening = "Listening"
    case decoding = "Decoding"
    case vocabulary = "Vocabulary"
    case words = "Words and subtitles"
    case output = "Output"
    case archive = "Archives"
    case saving = "Saving"
    case server = "Server"
    case limits = "Limits"
    case benchmark = "Benchmark"
    case liveBenchmark = "Live benchmark (with --live)"
    case compatibility = "Accepted for compatibility with openai-whisper"
    case general = "General"
}

/// Everything that help, completions and messages need to know about an option.
package struct FlagEntry: Sendable {
    package enum Shape: Sendable {
        /// `--quiet`
        case toggle
        /// `--word-timestamps`, `--word-timestamps true`
        case boolean
        /// `--speakers`, `--speakers 3`
        case count
        /// `--type`, `--type=wtype`
        case optionalWord
        /// `--model NAME`
        case value
    }

    /// What a shell offers as completions of the value.
    package enum Completion: Sendable {
        case nothing
        case words([String])
        case files
        case folders
        /// The names of installed models; files after a slash.
        case models
    }

    /// `--model`
    package let name: String
    /// `-m`
    var short: String?
    package var group: FlagGroup
    var shape: Shape
    /// `NAME|PATH`; empty for toggles.
    var placeholder = ""
    /// One phrase in lower case, without a full stop.
    var help: String
    /// The accepted values, for help and messages: `1 to 100`.
    var allowed: String?
    /// The value that applies without the option; `nil` leaves it out of the help.
    var defaultValue: String?
    /// A valid value, for the suggestion in messages.
    var example = ""
    var completion = Completion.nothing
    /// The option may be repeated, and its values accumulate.
    var isList = false
    /// A name that is still accepted but no longer shown.
    var formerName: String?

    /// `-m, --model NAME|PATH`
    package var usage: String {
        let value =
            switch shape {
            case .toggle: ""
            case .boolean: "[=true|false]"
            case .count, .optionalWord: "[=\(placeholder)]"
            case .value: " \(placeholder)"
            }
        return spellings + value
    }

    /// The same without a value that may be left out.
    var shortUsage: String { spellings + (shape == .value ? " \(placeholder)" : "") }

    private var spellings: String { (short.map { "\($0), " } ?? "    ") + name }

    /// The help with the accepted values and the default.
    package var fullHelp: String {
        var notes: [String] = []
        if let allowed { notes.append(allowed) }
        if let defaultValue { notes.append("default \(defaultValue)") }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }
}
