package import WhisperEngine

/// A command's options as one value, with its defaults.
package protocol OptionValues: Sendable {
    init()
    /// The names of the options on the command line itself, without those from the config file.
    var given: Set<String> { get set }
}

/// A key path that may be sent between tasks.
package typealias Path<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

/// An option: its description, and how it sets the command's values. Setters only check and store.
package struct Flag<Options: OptionValues>: Sendable {
    package typealias Setter = @Sendable (_ value: [UInt8], _ options: inout Options) throws(UsageError) -> Void

    package let entry: FlagEntry
    /// Receives the value's bytes: none for a toggle or a count without a number, `true` or `false` for a boolean.
    package let set: Setter

    package init(_ entry: FlagEntry, set: @escaping Setter) {
        self.entry = entry
        self.set = set
    }
}

extension Flag {
    /// An option without a value, which sets a property to a constant.
    package static func toggle<Value: Sendable>(
        _ name: String, _ short: String? = nil, in group: FlagGroup, _ help: String, sets path: Path<Options, Value>,
        to value: Value
    ) -> Flag {
        Flag(FlagEntry(name: name, short: short, group: group, shape: .toggle, help: help)) { (_, options) in
            options[keyPath: path] = value
        }
    }

    /// A boolean: on without a value, otherwise `true` or `false` in any case, as on openai-whisper's command line.
    package static func boolean(
        _ name: String, in group: FlagGroup, _ help: String, sets path: Path<Options, Bool>
    ) -> Flag {
        boolean(name, in: group, help, defaultValue: Options()[keyPath: path] ? "true" : nil) { $0[keyPath: path] = $1 }
    }

    /// A boolean whose default depends on circumstances.
    ///
    /// - Parameter defaultValue: what the help says about them.
    package static func boolean(
        _ name: String, in group: FlagGroup, _ help: String, defaultValue: String, sets path: Path<Options, Bool?>
    ) -> Flag {
        boolean(name, in: group, help, defaultValue: defaultValue) { $0[keyPath: path] = $1 }
    }

    private static func boolean(
        _ name: String, in group: FlagGroup, _ help: String, defaultValue: String?,
        set: @escaping @Sendable (inout Options, Bool) -> Void
    ) -> Flag {
        var entry = FlagEntry(name: name, group: group, shape: .boolean, help: help, example: "true")
        entry.defaultValue = defaultValue
        entry.completion = .words(["true", "false"])
        return Flag(entry) { (value, options) throws(UsageError) in
            guard let isOn = ValueSyntax.boolean(value) else {
                throw .badChoice(option: name, value: value, choices: ["true", "false"], nearest: nil)
            }
            set(&options, isOn)
        }
    }

    /// One of a fixed list of words.
    package static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ short: String? = nil, in group: FlagGroup, _ help: String, sets path: Path<Options, Choice>
    ) -> Flag where Choice.RawValue == String {
        let choices = Choice.allCases.map(\.rawValue)
        var entry = FlagEntry(
            name: name, short: short, group: group, shape: .value, placeholder: choices.joined(separator: "|"),
            help: help, example: choices.last ?? "")
        entry.defaultValue = Options()[keyPath: path].rawValue
        entry.completion = .words(choices)
        return Flag(entry) { (value, options) throws(UsageError) in
            options[keyPath: path] = try choice(value, option: name)
        }
    }

    /// One of a fixed list of words, which may be left out.
    ///
    /// - Parameter word: what applies then.
    package static func optionalChoice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, in group: FlagGroup, _ help: String, without word: Choice, sets path: Path<Options, Choice?>
    ) -> Flag where Choice.RawValue == String {
        let choices = Choice.allCases.map(\.rawValue)
        var entry = FlagEntry(
            name: name, group: group, shape: .optionalWord, placeholder: choices.joined(separator: "|"), help: help,
            example: choices.last ?? "")
        entry.completion = .words(choices)
        return Flag(entry) { (value, options) throws(UsageError) in
            guard !value.isEmpty else { return options[keyPath: path] = word }
            options[keyPath: path] = try choice(value, option: name)
        }
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ value: [UInt8], option: String
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        let word = String(decoding: value, as: UTF8.self)
        if let choice = Choice(rawValue: word) { return choice }
        let choices = Choice.allCases.map(\.rawValue)
        throw .badChoice(
            option: option, value: value, choices: choices, nearest: Suggestion.nearest(to: word, among: choices))
    }

    /// UTF-8 text, for the model or for messages.
    package static func text(
        _ name: String, _ short: String? = nil, _ placeholder: String, in group: FlagGroup, _ help: String,
        example: String, sets path: Path<Options, String?>
    ) -> Flag {
        let entry = FlagEntry(
            name: name, short: short, group: group, shape: .value, placeholder: placeholder, help: help,
            example: example)
        return Flag(entry) { (value, options) throws(UsageError) in
            options[keyPath: path] = try ValueSyntax.utf8(value, option: name)
        }
    }

    /// A path, or a name that resolves to one: bytes in no particular encoding.
    package static func path(
        _ name: String, _ short: String?, _ placeholder: String, in group: FlagGroup, _ help: String, example: String,
        defaultValue: String? = nil, offers completion: FlagEntry.Completion, sets path: Path<Options, FilePath?>
    ) -> Flag {
        let entry = FlagEntry(
            name: name, short: short, group: group, shape: .value, placeholder: placeholder, help: help,
            defaultValue: defaultValue, example: example, completion: completion)
        return Flag(entry) { (value, options) throws(UsageError) in
            guard !value.isEmpty, !value.contains(0) else {
                throw .badValue(option: name, value: value, wanted: "a name or a path")
            }
            options[keyPath: path] = FilePath(bytes: value)
        }
    }

    // MARK: Numbers and times

    /// A whole number.
    package static func integer(
        _ name: String, _ short: String? = nil, in group: FlagGroup, _ help: String, range: ClosedRange<Int>,
        sets path: Path<Options, Int>
    ) -> Flag {
        let defaultValue = Options()[keyPath: path]
        let numbers = NumberRange(range)
        return Flag(
            entry(name, short, group, help, numbers, defaultValue: "\(defaultValue)", example: "\(defaultValue)")
        ) {
            (value, options) throws(UsageError) in
            options[keyPath: path] = try numbers.integer(value, option: name)
        }
    }

    /// A whole number or, if allowed, `None`.
    package static func optionalInteger(
        _ name: String, _ short: String? = nil, in group: FlagGroup, _ help: String, range: ClosedRange<Int>,
        noneAllowed: Bool = true, defaultValue: String? = nil, sets path: Path<Options, Int?>
    ) -> Flag {
        let defaultValue = defaultValue ?? Options()[keyPath: path].map { "\($0)" }
        let numbers = NumberRange(range, orNone: noneAllowed)
        return Flag(entry(name, short, group, help, numbers, defaultValue: defaultValue, example: numbers.example)) {
            (value, options) throws(UsageError) in
            let isNone = noneAllowed && ValueSyntax.isNone(value)
            options[keyPath: path] = isNone ? nil : try numbers.integer(value, option: name)
        }
    }

    /// A decimal number.
    package static func number(
        _ name: String, in group: FlagGroup, _ help: String, _ range: NumberRange, sets path: Path<Options, Double>
    ) -> Flag {
        let defaultValue = NumberRange.text(Options()[keyPath: path])
        return Flag(entry(name, nil, group, help, range, defaultValue: defaultValue, example: defaultValue)) {
            (value, options) throws(UsageError) in
            options[keyPath: path] = try range.decimal(value, option: name)
        }
    }

    /// A decimal number or `None`.
    package static func optionalNumber(
        _ name: String, in group: FlagGroup, _ help: String, _ range: NumberRange, sets path: Path<Options, Double?>
    ) -> Flag {
        let defaultValue = Options()[keyPath: path].map(NumberRange.text)
        let range = range.orNone
        return Flag(
            entry(name, nil, group, help, range, defaultValue: defaultValue, example: defaultValue ?? range.example)
        ) {
            (value, options) throws(UsageError) in
            options[keyPath: path] = ValueSyntax.isNone(value) ? nil : try range.decimal(value, option: name)
        }
    }

    /// A time: seconds or `[hh:]mm:ss[.mmm]`.
    package static func time(
        _ name: String, in group: FlagGroup, _ help: String, example: String, sets path: Path<Options, Double?>
    ) -> Flag {
        let entry = FlagEntry(
            name: name, group: group, shape: .value, placeholder: "TIME", help: help, example: example)
        return Flag(entry) { (value, options) throws(UsageError) in
            guard let seconds = TimeSyntax.seconds(value) else {
                throw .badValue(option: name, value: value, wanted: TimeSyntax.rule)
            }
            options[keyPath: path] = seconds
        }
    }

    private static func entry(
        _ name: String, _ short: String?, _ group: FlagGroup, _ help: String, _ range: NumberRange,
        defaultValue: String?,
        example: String
    ) -> FlagEntry {
        var entry = FlagEntry(
            name: name, short: short, group: group, shape: .value, placeholder: "N", help: help, example: example)
        entry.allowed = range.allowed
        entry.defaultValue = defaultValue
        return entry
    }
}

extension Array {
    /// The same flags for a command whose options contain `Shared`, an options value of several commands.
    package func setting<Shared, Options>(_ path: Path<Options, Shared>) -> [Flag<Options>]
    where Element == Flag<Shared> {
        map { flag in
            Flag<Options>(flag.entry) { (value, options) throws(UsageError) in
                try flag.set(value, &options[keyPath: path])
            }
        }
    }
}
