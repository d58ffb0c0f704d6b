/// Help texts, generated from the commands' manuals and options; no line is wider than 100 columns.
enum Help {
    static let columns = 100
    /// What `-h` prints fits a terminal of the usual size.
    static let screen = (columns: 80, rows: 24)
    private static let helpColumn = 34

    /// `whisper-local COMMAND -h`: the options that people use, each with the first part of its help.
    static func screen(_ manual: CommandManual, entries: [FlagEntry]) -> String {
        let shown =
            manual.mostUsed.isEmpty
            ? entries.filter { !CommonFlags.names.contains($0.name) }
            : manual.mostUsed.compactMap { name in entries.first { $0.name == name } }
        let rows = shown.flatMap { entry in
            Self.rows(entry.shortUsage, String(entry.help.prefix { !";(".contains($0) }), columns: screen.columns)
        }
        return joined(
            head(manual) + (rows.isEmpty ? [] : ["Options:"] + rows + [""])
                + ["More: whisper-local \(manual.name) --help"])
    }

    private static func head(_ manual: CommandManual) -> [String] {
        let command = "whisper-local \(manual.name)"
        let usage = manual.usage.map { "  \(command)" + ($0.isEmpty ? "" : " \($0)") }
        return ["\(manual.summary).", "", "Usage:"] + usage + [""]
    }

    /// `whisper-local COMMAND --help`
    static func text(_ manual: CommandManual, entries: [FlagEntry]) -> String {
        var lines = head(manual)
        for paragraph in manual.notes { lines += wrapped(paragraph, to: columns) + [""] }
        for group in FlagGroup.allCases {
            let members = entries.filter { $0.group == group }
            guard !members.isEmpty else { continue }
            lines.append("\(group.rawValue):")
            for entry in members { lines += rows(entry.usage, entry.fullHelp) }
            lines.append("")
        }
        if !manual.examples.isEmpty {
            lines.append("Examples:")
            lines += manual.examples.map { "  whisper-local \(manual.name) \($0)" } + [""]
        }
        if manual.listsStatuses { lines += section("Exit status", table(Surroundings.statuses)) }
        return joined(lines.dropLast())
    }

    /// `whisper-local --help`
    static func overview(_ commands: [Commands.Entry]) -> String {
        let head = [
            "Offline speech recognition with Whisper: recordings to text and subtitles.", "", "Usage:",
            "  whisper-local COMMAND [options] …", "", "Commands:",
        ]
        let options =
            ["", "Options:"]
            + rows("-h, --help", "show this help, or the help of a command; -h shows only what people use most")
            + rows("    --version", "show the version")
        let examples = [
            "", "Examples:", "  whisper-local transcribe talk.mp3", "  whisper-local transcribe --help", "",
        ]
        let surroundings =
            section("Environment", Surroundings.environment.flatMap { rows($0, $1) })
            + section("Files", Surroundings.files.flatMap { rows($0, $1) })
            + section("Exit status", table(Surroundings.statuses))
        return joined(
            head + table(commands.map { ($0.name, $0.summary) }) + options + examples + surroundings.dropLast())
    }

    private static func section(_ title: String, _ rows: [String]) -> [String] { ["\(title):"] + rows + [""] }

    /// `whisper-local GROUP --help`
    static func overview(_ group: CommandGroup) -> String {
        let usage = "whisper-local \(group.name) COMMAND"
        let head = ["\(group.summary).", "", "Usage:", "  \(usage) [options] …", ""]
        let notes = group.notes.flatMap { wrapped($0, to: columns) + [""] }
        return joined(
            head + notes + ["Commands:"] + table(group) + ["", "See `\(usage) --help` for a command's options."])
    }

    /// Printed if no command is given.
    static func shortUsage(_ commands: [Commands.Entry]) -> String {
        joined(
            ["usage: whisper-local COMMAND [options] …", ""] + table(commands.map { ($0.name, $0.summary) })
                + ["", "See `whisper-local --help` for more."])
    }

    /// Printed if a group is given without a command.
    static func shortUsage(_ group: CommandGroup) -> String {
        joined(
            ["usage: whisper-local \(group.name) COMMAND [options] …", ""] + table(group)
                + ["", "See `whisper-local \(group.name) --help` for more."])
    }

    private static func table(_ group: CommandGroup) -> [String] {
        table(group.members.map { ($0.manual.lastWord, $0.manual.summary) })
    }

    private static func table(_ rows: [(name: String, meaning: String)]) -> [String] {
        let width = (rows.map(\.name.count).max() ?? 0) + 2
        return rows.map { "  \(padded($0.name, to: width))\($0.meaning)" }
    }

    /// An option with its help next to it, or below it if the option is too long.
    private static func rows(_ usage: String, _ help: String, columns: Int = columns) -> [String] {
        let usage = "  \(usage)"
        let text = wrapped(help, to: columns - helpColumn)
        let indent = String(repeating: " ", count: helpColumn)
        guard usage.count + 2 <= helpColumn else { return [usage] + text.map { indent + $0 } }
        return [padded(usage, to: helpColumn) + (text.first ?? "")] + text.dropFirst().map { indent + $0 }
    }

    private static func joined(_ lines: some Sequence<String>) -> String { lines.map { $0 + "\n" }.joined() }

    /// Breaks text into lines between words.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return line.isEmpty ? lines : lines + [line]
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
