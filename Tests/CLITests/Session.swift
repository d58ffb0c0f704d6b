import Foundation

/// A recorded shell session. Lines with `$ ` are commands, run in order in one folder; each is followed by its standard
/// output as lines with `1| `, its standard error as lines with `2| ` (the folder appears as `$PWD`), and a status other
/// than 0 as `[64]`.
struct Session {
    private let script: [String]

    init(_ text: String) {
        script = text.components(separatedBy: "\n").filter { line in
            !line.hasPrefix("1| ") && !line.hasPrefix("2| ") && !(line.hasPrefix("[") && line.hasSuffix("]"))
        }
    }

    /// Runs the commands and returns the session with their current output.
    func played() throws -> String {
        let scratch = try Program.Scratch()
        var lines: [String] = []
        for line in script {
            lines.append(line)
            guard line.hasPrefix("$ ") else { continue }
            let outcome = try Program.shell(String(line.dropFirst(2)), in: scratch)
            lines += (quoted(outcome.output, "1| ") + quoted(outcome.error, "2| "))
                .map { $0.replacingOccurrences(of: scratch.url.path, with: "$PWD") }
            if outcome.status != 0 { lines.append("[\(outcome.status)]") }
        }
        return lines.joined(separator: "\n")
    }

    private func quoted(_ text: String, _ mark: String) -> [String] {
        if text.isEmpty { return [] }
        var lines = text.components(separatedBy: "\n")
        if lines.last == "" { lines.removeLast() } else { lines[lines.count - 1] += "(no line feed)" }
        return lines.map { mark + $0 }
    }
}
