import WhisperEngine

/// Finds out what a wrong line of the config file was meant to be.
package enum ConfigLine {
    /// Longer values are not repeated.
    private static let longest = 80

    /// What the line was probably meant to be, such as `--language=de` for `language: "de"`; `nil` if that is unclear.
    package static func corrected(_ line: String) -> String? {
        if let option = option(line[...]) { return option }
        // Perhaps a comment follows the value, or more options.
        let options = line.prefix(before: " #").split(separator: " -").map(option)
        guard !options.isEmpty, options.allSatisfy({ $0 != nil }) else { return nil }
        let all = options.compactMap(\.self).joined(separator: " and ")
        return options.count > 1 ? "\(all) on lines of their own" : all
    }

    /// The option that the text sets, in the form for a config file, if a command accepts it.
    private static func option(_ text: Substring) -> String? {
        let text = text.drop { "-\"' ".contains($0) }
        let written = text.prefix { $0.isLetter || $0.isNumber || "-_".contains($0) }
        let value = text.dropFirst(written.count).trimmed(of: "=: \t\"',;")
        let name = written.lowercased().map { $0 == "_" ? "-" : String($0) }.joined()
        let entries = Commands.all.flatMap { $0.entries }
        let nearest = Suggestion.nearest(to: name, among: entries.map(\.name))
        guard
            let entry = entries.first(where: { $0.name == "--\(name)" || $0.short == "-\(written)" })
                ?? entries.first(where: { $0.name == nearest })
        else { return nil }
        guard entry.group != .general else { return nil }
        let option = entry.shape == .toggle || value.isEmpty ? entry.name : "\(entry.name)=\(value)"
        guard option.count <= longest, option == option.replacingControlCharacters(),
            Commands.all.contains(where: { accepts($0, option) })
        else { return nil }
        return option
    }

    private static func accepts<C: Command>(_ command: C.Type, _ option: String) -> Bool {
        var options = C.Options()
        guard let setting = try? Parser.parse([Array(option.utf8)], entries: command.entries, others: []).settings.first
        else { return false }
        return (try? command.allFlags[setting.flag].set(setting.value, &options)) != nil
    }
}

extension String {
    /// The text before the first `mark`; all of it if there is none.
    fileprivate func prefix(before mark: String) -> Substring {
        self[..<(firstRange(of: mark)?.lowerBound ?? endIndex)]
    }
}

extension Substring {
    fileprivate func trimmed(of characters: String) -> Substring {
        var text = drop { characters.contains($0) }
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return text
    }
}
