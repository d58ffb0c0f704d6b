import WhisperEngine

/// Parses the arguments after a command's name: first into settings and operands, then into the command's options.
package enum Parser {
    /// The longest accepted argument, in bytes.
    static let longestArgument = 64 * 1024

    /// An option on the command line.
    package struct Setting: Equatable {
        /// The index of the option's entry.
        package let flag: Int
        package let value: [UInt8]
    }

    /// Arguments split into options and operands; values are not checked yet.
    package struct Line: Equatable {
        package var settings: [Setting] = []
        package var operands: [[UInt8]] = []
    }

    /// Splits `arguments` into options and operands. Underscores in long names count as dashes, and everything after
    /// `--` is an operand.
    ///
    /// - Parameter others: the names and options of the other commands, to report where an unknown option belongs.
    package static func parse(
        _ arguments: [[UInt8]], entries: [FlagEntry], others: [(command: String, entries: [FlagEntry])]
    ) throws(UsageError) -> Line {
        var line = Line()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.count <= longestArgument else { throw .argumentTooLong(length: argument.count) }
            if argument == Array("--".utf8) {
                line.operands += rest
                break
            }
            guard argument.count > 1, argument[0] == dash else {
                line.operands.append(argument)
                continue
            }
            let (name, attached) = split(argument)
            guard let index = index(of: name, in: entries) else {
                throw unknown(name, argument: argument, entries: entries, others: others)
            }
            let value = try self.value(of: entries[index], attached: attached, rest: &rest)
            line.settings.append(Setting(flag: index, value: value))
        }
        return line
    }

    /// The command's options: the defaults, then what `config` sets, then the settings of the line; the last one wins.
    package static func options<Options>(
        _ line: Line, flags: [Flag<Options>], config: (inout Options) throws -> Void
    ) throws -> Options {
        var options = Options()
        try config(&options)
        var given: Set<String> = []
        for setting in line.settings {
            let flag = flags[setting.flag]
            try flag.set(setting.value, &options)
            given.insert(flag.entry.name)
        }
        options.given = given
        return options
    }

    /// Whether one of these options appears before any `--`, such as `--help`, which works even if the rest of the
    /// line is wrong.
    package static func contains(_ names: [String], in arguments: [[UInt8]]) -> Bool {
        arguments.prefix { $0 != Array("--".utf8) }.contains { names.contains(String(decoding: $0, as: UTF8.self)) }
    }

    /// The index of the option with this long or short name.
    static func index(of name: String, in entries: [FlagEntry]) -> Int? {
        entries.firstIndex { $0.name == name || $0.short == name || $0.formerName == name }
    }

    /// `--output_dir=x` → `--output-dir` and `x`.
    private static func split(_ argument: [UInt8]) -> (name: String, value: [UInt8]?) {
        guard argument.starts(with: Array("--".utf8)) else { return (String(decoding: argument, as: UTF8.self), nil) }
        let nameBytes = argument.prefix { $0 != UInt8(ascii: "=") }
        let name = String(decoding: nameBytes.map { $0 == UInt8(ascii: "_") ? dash : $0 }, as: UTF8.self)
        let value = nameBytes.count < argument.count ? Array(argument[(nameBytes.count + 1)...]) : nil
        return (name, value)
    }

    private static let dash = UInt8(ascii: "-")

    private static func value(
        of entry: FlagEntry, attached: [UInt8]?, rest: inout ArraySlice<[UInt8]>
    ) throws(UsageError) -> [UInt8] {
        switch entry.shape {
        case .toggle:
            guard attached == nil else { throw .unwantedValue(option: entry.name) }
            return []
        case .boolean:
            if let attached { return attached }
            if let next = rest.first, ValueSyntax.boolean(next) != nil { return rest.removeFirst() }
            return Array("true".utf8)
        case .count:
            if let attached { return attached }
            if let next = rest.first, !next.isEmpty, next.allSatisfy(ValueSyntax.isDigit) { return rest.removeFirst() }
            return []
        case .optionalWord: return attached ?? []
        case .value:
            if let attached { return attached }
            guard let next = rest.first, !looksLikeOption(next) else {
                throw .missingValue(option: entry.name, example: "\(entry.name) \(entry.example)")
            }
            guard next.count <= longestArgument else { throw .argumentTooLong(length: next.count) }
            return rest.removeFirst()
        }
    }

    /// `-x` and `--x` look like options; `-`, `-1`, `-.5` and arguments with a space do not.
    private static func looksLikeOption(_ argument: [UInt8]) -> Bool {
        guard argument.count > 1, argument[0] == dash, !argument.contains(UInt8(ascii: " ")) else { return false }
        return !ValueSyntax.isDigit(argument[1]) && argument[1] != UInt8(ascii: ".")
    }

    private static func unknown(
        _ name: String, argument: [UInt8], entries: [FlagEntry],
        others: [(command: String, entries: [FlagEntry])]
    ) -> UsageError {
        let owners = others.filter { index(of: name, in: $0.entries) != nil }
        if name.hasPrefix("--"), !owners.isEmpty {
            return .optionOfOtherCommand(option: name, commands: owners.map(\.command))
        }
        if let here = ForeignOptions.here(name), index(of: String(here.prefix { $0 != " " }), in: entries) != nil {
            return .renamedOption(name, here: here)
        }
        guard name.hasPrefix("--") else { return .unknownOption(argument, nearest: nil) }
        // As typed, without its value.
        let typed = Array(argument.prefix { $0 != UInt8(ascii: "=") })
        let names = entries.map(\.name) + others.flatMap { $0.entries.map(\.name) }
        return .unknownOption(typed, nearest: Suggestion.nearest(to: name, among: names))
    }
}
