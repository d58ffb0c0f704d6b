import Foundation
import Testing

@Suite("Help")
struct HelpTests {
    /// The names in the table of commands in a help text.
    private func commands(_ help: String) -> [String] {
        let lines = help.components(separatedBy: "\n")
        return lines.drop { $0 != "Commands:" }.dropFirst().prefix { $0.hasPrefix("  ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    private func help(_ command: String) throws -> String {
        let outcome = try Program.shell("whisper-local \(command) --help", in: Program.Scratch())
        #expect(outcome.status == 0 && outcome.error == "", "\(command)")
        return outcome.output
    }

    @Test("the help of every command and group matches the recorded one, and no line is wider than 100 columns")
    func texts() throws {
        var recorded: [String] = []
        func check(_ command: String) throws -> String {
            let name =
                "help/\(command.isEmpty ? "whisper-local" : command.replacingOccurrences(of: " ", with: "-")).txt"
            let text = try help(command)
            for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
            try Fixtures.expect(text, equals: name)
            recorded.append(name)
            return text
        }
        let names = commands(try check(""))
        #expect(names.count > 5)
        for name in names {
            for member in commands(try check(name)) { _ = try check("\(name) \(member)") }
        }
        #expect(recorded.contains("help/history-list.txt"))
        let files = try FileManager.default.contentsOfDirectory(atPath: Fixtures.folder.path + "/help")
        #expect(Set(files.map { "help/\($0)" }) == Set(recorded))
    }
}
