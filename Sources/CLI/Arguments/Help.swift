/// Help texts, made from the commands' option tables; no line is longer than 100 columns.
enum Help {
    static let columns = 100
    private static let helpColumn = 34

    /// `whisper-local COMMAND --help`
    static func text(_ manual: CommandManual, entries: [FlagEntry]) -> String {
        var lines = ["\(manual.summary).", ""]
        lines +=
            ["Usage:"] + manual.usage.map { "  whisper-local \(manual.name)" + ($0.isEmpty ? "" : " \($0)") } + [""]
        for paragraph in manual.notes { lines += wrapped(paragraph, to: columns) + [""] }
        for group in FlagGroup.allCases {
            let members = entries.filter { $0.group == group }
            guard !members.isEmpty else { continue }
            lines.append("\(group.rawValue):")
            for entry in members { lines += described(entry) }
            lines.append("")
        }
        if !manual.examples.isEmpty {
            lines.append("Examples:")
            lines += manual.examples.map { "  whisper-local \(manual.name) \($0)" } + [""]
        }
        return lines.dropLast().joined(separator: "\n") + "\n"
    }

    /// `whisper-local --help`
    static func overview(_ commands: [Commands.Entry]) -> String {
        (["Offline speech recognition: recordings to text and subtitles with Whisper's weights.", ""]
            + ["Usage:", "  whisper-local COMMAND [options] …", "", "Commands:"]
            + table(commands.map { ($0.name, $0.summary) })
            + ["", "Options:", "      --help                      show help, also of a command (-h)"]
            + ["      --version                   show the version", ""]
            + ["Examples:", "  whisper-local transcribe talk.mp3"]
            + ["  whisper-local transcribe --help"]).joined(separator: "\n") + "\n"
    }

    /// `whisper-local GROUP --help`
    static func overview(_ group: CommandGroup) -> String {
        let notes = group.notes.flatMap { wrapped($0, to: columns) + [""] }
        return
            (["\(group.summary).", "", "Usage:", "  whisper-local \(group.name) COMMAND [options] …", ""]
            + notes + ["Commands:"] + table(group) + ["", "whisper-local \(group.name) COMMAND --help tells more"])
            .joined(separator: "\n") + "\n"
    }

    /// At most ten lines, for a command line without a command.
    static func shortUsage(_ commands: [Commands.Entry]) -> String {
        (["usage: whisper-local COMMAND [options] …", ""] + table(commands.map { ($0.name, $0.summary) })
            + ["", "whisper-local --help tells more"]).joined(separator: "\n") + "\n"
    }

    static func shortUsage(_ group: CommandGroup) -> String {
        (["usage: whisper-local \(group.name) COMMAND [options] …", ""] + table(group)
            + ["", "whisper-local \(group.name) --help tells more"]).joined(separator: "\n") + "\n"
    }

    private static func table(_ group: CommandGroup) -> [String] {
        table(group.members.map { ($0.manual.lastWord, $0.manual.summary) })
    }

    private static func table(_ rows: [(name: String, summary: String)]) -> [String] {
        let width = (rows.map(\.name.count).max() ?? 0) + 2
        return rows.map { "  \(padded($0.name, to: width))\($0.summary)" }
    }

    private static func described(_ entry: FlagEntry) -> [String] {
        let usage = "  \(entry.usage)"
        let text = wrapped(entry.fullHelp, to: columns - helpColumn)
        let indent = String(repeating: " ", count: helpColumn)
        let rest = text.dropFirst().map { indent + $0 }
        if usage.count + 2 <= helpColumn { return [padded(usage, to: helpColumn) + (text.first ?? "")] + rest }
        return [usage] + text.map { indent + $0 }
    }

    /// Lines of whole words.
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
