import Foundation

/// A recorded shell session: lines with `$ ` are commands, run one after the other in one folder; what they say
/// follows (the folder as `$PWD`), `1| ` from standard output and `2| ` from standard error, and then a status other than 0 as `[64]`.
struct Session {
    private let script: [String]

    init(_ text: String) {
        script = text.components(separatedBy: "\n").filter { line in
            !line.hasPrefix("1| ") && !line.hasPrefix("2| ") && !(line.hasPrefix("[") && line.hasSuffix("]"))
        }
    }

    /// The session as it goes today.
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
