import WhisperEngine

/// The options of a command as one value, with its defaults.
protocol OptionValues: Sendable {
    init()
    /// Names of the options that stood on the command line itself; the config file's are not among them.
    var given: Set<String> { get set }
}

/// An option: what is said about it, and how it changes the command's values. Setters check and store; they open
/// nothing.
struct Flag<Options: OptionValues>: Sendable {
    typealias Setter = @Sendable (_ value: [UInt8], _ options: inout Options) throws(UsageError) -> Void

    let entry: FlagEntry
    /// Takes the value's bytes; a toggle's are empty, a boolean's `true` or `false`.
    let set: Setter

    init(_ entry: FlagEntry, set: @escaping Setter) {
        self.entry = entry
        self.set = set
    }
}

/// A key path that may cross tasks.
typealias Path<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

extension Flag {
    static func toggle<Value: Sendable>(
        _ name: String, _ short: String? = nil, in group: FlagGroup, _ help: String, sets path: Path<Options, Value>,
        to value: Value
    ) -> Flag {
        Flag(FlagEntry(name: name, short: short, group: group, shape: .toggle, help: help)) { (_, options) in
            options[keyPath: path] = value
        }
    }

    /// On without a value; `true` and `false` in any case are taken as openai-whisper does.
    static func boolean(
        _ name: String, in group: FlagGroup, _ help: String, sets path: Path<Options, Bool>
    ) -> Flag {
        var entry = FlagEntry(name: name, group: group, shape: .boolean, help: help, example: "true")
        entry.standard = Options()[keyPath: path] ? "true" : nil
        entry.completion = .words(["true", "false"])
        return Flag(entry) { (value, options) throws(UsageError) in
            guard let isOn = BooleanSyntax.value(value) else {
                throw .badChoice(option: name, value: value, choices: ["true", "false"], nearest: nil)
            }
            options[keyPath: path] = isOn
        }
    }

    /// One word of a list.
    static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ short: String? = nil, in group: FlagGroup, _ help: String, sets path: Path<Options, Choice>
    ) -> Flag where Choice.RawValue == String {
        let choices = Choice.allCases.map(\.rawValue)
        var entry = FlagEntry(
            name: name, short: short, group: group, shape: .value, placeholder: choices.joined(separator: "|"),
            help: help, example: choices.last ?? "")
        entry.standard = Options()[keyPath: path].rawValue
        entry.completion = .words(choices)
        return Flag(entry) { (value, options) throws(UsageError) in
            let word = String(decoding: value, as: UTF8.self)
            guard let choice = Choice(rawValue: word) else {
                throw .badChoice(
                    option: name, value: value, choices: choices,
                    nearest: Suggestion.nearest(to: word, among: choices))
            }
            options[keyPath: path] = choice
        }
    }

    /// Text that must be UTF-8; it goes to the model or into a message.
    static func text(
        _ name: String, _ short: String? = nil, _ placeholder: String, in group: FlagGroup, _ help: String,
        example: String, sets path: Path<Options, String?>
    ) -> Flag {
        let entry = FlagEntry(
            name: name, short: short, group: group, shape: .value, placeholder: placeholder, help: help,
            example: example)
        return Flag(entry) { (value, options) throws(UsageError) in
            options[keyPath: path] = try TextSyntax.utf8(value, option: name)
        }
    }

    /// A path, or a name that may stand for one: bytes in no particular encoding.
    static func path(
        _ name: String, _ short: String?, _ placeholder: String, in group: FlagGroup, _ help: String, example: String,
        standard: String? = nil, offers completion: FlagEntry.Completion, sets path: Path<Options, FilePath?>
    ) -> Flag {
        let entry = FlagEntry(
            name: name, short: short, group: group, shape: .value, placeholder: placeholder, help: help,
            standard: standard, example: example, completion: completion)
        return Flag(entry) { (value, options) throws(UsageError) in
            guard !value.isEmpty, !value.contains(0) else {
                throw .badValue(option: name, value: value, wanted: "a name or a path")
            }
            options[keyPath: path] = FilePath(bytes: value)
        }
    }
}
