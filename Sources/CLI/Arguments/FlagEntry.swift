/// Where an option stands in the help.
enum FlagGroup: String, CaseIterable, Sendable {
    case model = "Model"
    case audio = "Audio"
    case listening = "Listening"
    case decoding = "Decoding"
    case words = "Words"
    case output = "Output"
    case keeping = "Keeping"
    case measuring = "Measuring"
    case compatibility = "Accepted for openai-whisper's command lines"
    case general = "General"
}

/// All that help, completions and messages need to know of an option.
struct FlagEntry: Sendable {
    enum Shape: Sendable {
        /// `--quiet`
        case toggle
        /// `--word-timestamps`, `--word-timestamps true`
        case boolean
        /// `--model NAME`
        case value
    }

    /// What a shell may offer for the value.
    enum Completion: Sendable {
        case nothing
        case words([String])
        case files
        case folders
    }

    /// `--model`
    let name: String
    /// `-m`
    var short: String?
    var group: FlagGroup
    var shape: Shape
    /// `NAME|PATH`; empty for toggles.
    var placeholder = ""
    /// One sentence without its full stop, in lower case.
    var help: String
    /// `1 to 100`, for help and messages.
    var allowed: String?
    /// What holds without the option; `nil` says nothing.
    var standard: String?
    /// A value for the example in messages.
    var example = ""
    var completion = Completion.nothing
    /// Given several times, the values add up.
    var isList = false

    /// `-m, --model NAME|PATH`
    var usage: String {
        let value =
            switch shape {
            case .toggle: ""
            case .boolean: "[=true|false]"
            case .value: " \(placeholder)"
            }
        return (short.map { "\($0), " } ?? "    ") + name + value
    }

    /// Help with range and default.
    var fullHelp: String {
        var notes: [String] = []
        if let allowed { notes.append(allowed) }
        if let standard { notes.append("default \(standard)") }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }
}
