/// Help texts, generated from the commands' manuals and options; no line is wider than 100 columns.
enum Help {
    static let columns = 100
    private static let helpColumn = 34

    /// `whisper-local COMMAND --help`
    static func text(_ manual: CommandManual, entries: [FlagEntry]) -> String {
        let command = "whisper-local \(manual.name)"
        var lines = ["\(manual.summary).", "", "Usage:"]
        lines += manual.usage.map { "  \(command)" + ($0.isEmpty ? "" : " \($0)") } + [""]
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
            lines += manual.examples.map { "  \(command) \($0)" } + [""]
        }
        return joined(lines.dropLast())
    }

    /// `whisper-local --help`
    static func overview(_ commands: [Commands.Entry]) -> String {
        let head = [
            "Offline speech recognition with Whisper: recordings to text and subtitles.", "", "Usage:",
            "  whisper-local COMMAND [options] …", "", "Commands:",
        ]
        let options =
            ["", "Options:"] + rows("-h, --help", "show this help, or the help of a command")
            + rows("    --version", "show the version")
        let examples = ["", "Examples:", "  whisper-local transcribe talk.mp3", "  whisper-local transcribe --help"]
        return joined(head + table(commands.map { ($0.name, $0.summary) }) + options + examples)
    }

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

    private static func table(_ rows: [(name: String, summary: String)]) -> [String] {
        let width = (rows.map(\.name.count).max() ?? 0) + 2
        return rows.map { "  \(padded($0.name, to: width))\($0.summary)" }
    }

    /// An option with its help next to it, or below it if the option is too long.
    private static func rows(_ usage: String, _ help: String) -> [String] {
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
