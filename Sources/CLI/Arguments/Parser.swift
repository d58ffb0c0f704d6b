/// Reads the words behind a command's name: first purely into settings and operands, then into the command's values.
enum Parser {
    /// Bytes of the longest word taken.
    static let longestWord = 64 * 1024

    /// An option as it was written, with the index of its entry.
    struct Setting: Equatable {
        let flag: Int
        let value: [UInt8]
    }

    /// What the words say, before any value was looked at.
    struct Line: Equatable {
        var settings: [Setting] = []
        var operands: [[UInt8]] = []
    }

    /// - Parameter others: the other commands' names and options, to say where an unknown one belongs.
    static func line(
        _ words: [[UInt8]], entries: [FlagEntry], others: [(command: String, entries: [FlagEntry])]
    ) throws(UsageError) -> Line {
        var line = Line()
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.count <= longestWord else { throw .wordTooLong(length: word.count) }
            if word == Array("--".utf8) {
                line.operands += rest
                break
            }
            guard word.count > 1, word[0] == dash else {
                line.operands.append(word)
                continue
            }
            let (name, attached) = split(word)
            guard let index = index(of: name, in: entries) else {
                throw unknown(name, word: word, entries: entries, others: others)
            }
            let value = try self.value(of: entries[index], attached: attached, rest: &rest)
            line.settings.append(Setting(flag: index, value: value))
        }
        return line
    }

    /// The command's values after the settings of its config file and then those of the line, the last one winning.
    static func options<Options>(
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

    /// `--help` or `--version` stands somewhere in front of a `--`: it is done whatever else is wrong.
    static func asks(for names: [String], in words: [[UInt8]]) -> Bool {
        words.prefix { $0 != Array("--".utf8) }.contains { names.contains(String(decoding: $0, as: UTF8.self)) }
    }

    /// Index of the option that a long or short name means; underscores count as dashes.
    static func index(of name: String, in entries: [FlagEntry]) -> Int? {
        entries.firstIndex { $0.name == name || $0.short == name }
    }

    /// `--output_dir=x` → `--output-dir` and `x`.
    static func split(_ word: [UInt8]) -> (name: String, value: [UInt8]?) {
        guard word.starts(with: Array("--".utf8)) else { return (String(decoding: word, as: UTF8.self), nil) }
        let nameBytes = word.prefix { $0 != UInt8(ascii: "=") }
        let name = String(decoding: nameBytes.map { $0 == UInt8(ascii: "_") ? dash : $0 }, as: UTF8.self)
        let value = nameBytes.count < word.count ? Array(word[(nameBytes.count + 1)...]) : nil
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
            if let next = rest.first, BooleanSyntax.value(next) != nil { return rest.removeFirst() }
            return Array("true".utf8)
        case .value:
            if let attached {
                guard attached.count <= longestWord else { throw .wordTooLong(length: attached.count) }
                return attached
            }
            guard let next = rest.first, !looksLikeOption(next) else {
                throw .missingValue(option: entry.name, example: "\(entry.name) \(entry.example)")
            }
            guard next.count <= longestWord else { throw .wordTooLong(length: next.count) }
            return rest.removeFirst()
        }
    }

    /// `-x` and `--x` do; `-`, `-1`, `-.5` and words with a blank do not.
    private static func looksLikeOption(_ word: [UInt8]) -> Bool {
        guard word.count > 1, word[0] == dash, !word.contains(UInt8(ascii: " ")) else { return false }
        return !NumberSyntax.isDigit(word[1]) && word[1] != UInt8(ascii: ".")
    }

    private static func unknown(
        _ name: String, word: [UInt8], entries: [FlagEntry],
        others: [(command: String, entries: [FlagEntry])]
    ) -> UsageError {
        let owners = others.filter { index(of: name, in: $0.entries) != nil }
        if name.hasPrefix("--"), !owners.isEmpty {
            return .optionOfOtherCommand(option: name, commands: owners.map(\.command))
        }
        if let here = ForeignOptions.here(name), index(of: String(here.prefix { $0 != " " }), in: entries) != nil {
            return .renamedOption(name, here: here)
        }
        guard name.hasPrefix("--") else { return .unknownOption(word, nearest: nil) }
        // As it was written, without its value.
        let written = Array(word.prefix { $0 != UInt8(ascii: "=") })
        let names = entries.map(\.name) + others.flatMap { $0.entries.map(\.name) }
        return .unknownOption(written, nearest: Suggestion.nearest(to: name, among: names))
    }
}
