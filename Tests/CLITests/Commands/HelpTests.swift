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

    private func help(_ command: String, _ option: String = "--help") throws -> String {
        let outcome = try Program.shell("whisper-local \(command) \(option)", in: Program.Scratch())
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

    @Test("-h fits a terminal of 80 columns and 24 rows, and shows ten options, or all if there are fewer")
    func screens() throws {
        func options(_ help: String) -> [Substring] {
            help.split(separator: "\n").filter { $0.hasPrefix("  -") || $0.hasPrefix("      --") }
                .compactMap { $0.split(whereSeparator: { " ,=[".contains($0) }).first { $0.hasPrefix("--") } }
        }
        func check(_ command: String) throws -> String {
            let text = try help(command, "-h"), long = try help(command)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(lines.count < 24 && lines.allSatisfy { $0.count <= 80 }, "\(text)")
            let all = options(long)
            #expect(Set(options(text)).isSubset(of: all), "\(command)")
            if all.count > 3, !long.contains("\nCommands:\n") {
                // Each command also has --no-config, --help and --version.
                #expect(options(text).count == min(10, all.count - 3), "\(text)")
            }
            return text
        }
        let names = commands(try help(""))
        _ = try check("")
        for name in names {
            _ = try check(name)
            for member in commands(try help(name)) { _ = try check("\(name) \(member)") }
        }
    }

    @Test("the help lists every environment variable that is meant for users, and the man page has them")
    func surroundings() throws {
        let root = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let sources = root.appending(path: "Sources")
        // For measurements of the program's own.
        let hidden = ["WHISPER_LOCAL_OPENBLAS_CORE", "WHISPER_LOCAL_MEASURE_OPENBLAS"]
        var variables: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            variables.formUnion(
                text.matches(of: /"((WHISPER_LOCAL|XDG|HF)_[A-Z_]+)"/).map { String($0.1) })
        }
        #expect(variables.count > 8)
        let help = try help("")
        for variable in variables.subtracting(hidden) { #expect(help.contains(variable), "\(variable)") }
        let script = root.appending(path: "scripts/manual.sh").path
        let manual = try Program.shell("'\(script)' whisper-local", in: Program.Scratch())
        #expect(manual.status == 0 && manual.error == "")
        let page = manual.output.replacing("\\-", with: "-")
        var rest = page[...]
        for section in ["NAME", "DESCRIPTION", "TRANSCRIBE", "COMPLETIONS", "ENVIRONMENT", "FILES", "EXIT STATUS"] {
            let title = section == "NAME" ? section : "\"\(section)\""
            rest = rest[try #require(rest.firstRange(of: ".SH \(title)\n"), "\(section)").upperBound...]
        }
        let lines = help.components(separatedBy: "\nEnvironment:\n")[1].split(separator: "\n")
        for line in lines where !line.hasSuffix(":") { #expect(page.contains(line), "\(line)") }
    }
}
