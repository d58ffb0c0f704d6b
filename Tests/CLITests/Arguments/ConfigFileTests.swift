import Foundation
import Testing
import WhisperEngine
import WhisperCommands

@Suite("Config file")
struct ConfigFileTests {
    private let scratch: Program.Scratch
    private let config: ConfigFile
    private let path: FilePath

    init() throws {
        scratch = try Program.Scratch()
        config = ConfigFile(environment: ProcessEnvironment(["XDG_CONFIG_HOME": scratch.url.path]))
        path = FilePath(scratch.url.path + "/whisper-local/config")
    }

    /// What the command with `SampleOptions` gets from a file with this text.
    private func options(_ text: String) throws -> SampleOptions {
        try scratch.write("whisper-local/config", text)
        var options = SampleOptions()
        try config.apply(SampleOptions.flags, to: &options)
        return options
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("the file is in $XDG_CONFIG_HOME, or in ~/.config if that is not an absolute path")
    func location() {
        func path(_ variables: [String: String]) -> FilePath? {
            ConfigFile(environment: ProcessEnvironment(variables)).path
        }
        #expect(config.path == self.path)
        #expect(path(["HOME": "/home/me"]) == FilePath("/home/me/.config/whisper-local/config"))
        #expect(
            path(["HOME": "/home/me", "XDG_CONFIG_HOME": "config"])
                == FilePath("/home/me/.config/whisper-local/config"))
        #expect(path(["HOME": "me"]) == nil)
    }

    @Test("without a file, or without a home, nothing is set")
    func missing() throws {
        #expect(try config.lines() == [])
        #expect(try ConfigFile(environment: ProcessEnvironment([:])).lines() == [])
        #expect(try options("") == SampleOptions())
    }

    @Test("each line sets an option; comments, blank lines and surrounding blanks do not matter")
    func lines() throws {
        let options = try options("# mine\n\n  --threads=3  \r\n\t--initial-prompt\t a = b \n#--quiet\n--color dark")
        #expect(options.threads == 3 && options.prompt == "a = b" && options.color == .dark && !options.isQuiet)
        #expect(try config.lines().map(\.text) == ["--threads=3", "--initial-prompt\t a = b", "--color dark"])
        #expect(
            try config.lines().map(\.argument)
                == ["--threads=3", "--initial-prompt=a = b", "--color=dark"].map(bytes))
    }

    @Test("underscores count as dashes, and the last of repeated lines wins")
    func repeated() throws {
        let options = try options("--output_dir=a\n--output-dir=b\n--quiet\n")
        #expect(options.folder == FilePath("b") && options.isQuiet)
    }

    @Test("options that only other commands have are skipped, but their names are checked")
    func otherCommands() throws {
        #expect(try options("--language=de\n--threads=3\n--step=1\n").threads == 3)
        #expect(throws: ConfigError.self) { try options("--lnaguage=de\n") }
    }

    @Test("an unknown option is an error with file, line and suggestion")
    func unknown() {
        let error = ConfigError.badLine(
            file: path, line: 2, .unknownOption(bytes("--thraeds"), nearest: "--threads"), instead: "--threads=3")
        #expect(throws: error) { try options("# mine\n--thraeds=3\n") }
        #expect(
            error.report
                == ErrorReport(
                    .usage, "\(path), line 2: unknown option --thraeds; did you mean --threads?",
                    advice: "--threads=3"))
    }

    @Test(
        "a wrong line is answered with the right one, whatever other files' habits it follows",
        arguments: [
            ("language=de", "--language=de"), ("language: \"de\"", "--language=de"), ("-l de", "--language=de"),
            ("-l=de", "--language=de"), ("--language = de", "--language=de"), ("LANGUAGE 'de';", "--language=de"),
            ("\"language\": \"de\",", "--language=de"), ("--language:de", "--language=de"),
            ("output_dir=my files", "--output-dir=my files"), ("initial-prompt: a = b", "--initial-prompt=a = b"),
            ("languge de", "--language=de"), ("quiet", "--quiet"), ("--quiet=yes", "--quiet"), ("-q", "--quiet"),
            ("vad-filter: false", "--vad-filter=false"), ("--language=de # German", "--language=de"),
            ("--language de --quiet", "--language=de and --quiet on lines of their own"),
            ("-l de -m small", "--language=de and --model=small on lines of their own"),
        ])
    func corrected(line: String, expected: String) {
        #expect(ConfigLine.corrected(line) == expected)
    }

    @Test(
        "nothing is suggested that no command would accept, nor a long or unprintable value",
        arguments: [
            "a.wav", "--", "-", "", "[transcribe]", "--help", "no-config", "language=", "language=klingon",
            "beam-size: 0", "vad-filter=maybe", "prefix=\u{1b}[31m", "prefix=" + String(repeating: "x", count: 100),
        ])
    func notCorrected(line: String) {
        #expect(ConfigLine.corrected(line) == nil)
    }

    @Test(
        "lines that are not an option of a command are errors",
        arguments: ["a.wav", "--", "-", "--help", "--version", "--no-config"])
    func notOptions(line: String) {
        #expect(throws: ConfigError.badLine(file: path, line: 1, .unknownOption(bytes(line), nearest: nil))) {
            try options(line + "\n")
        }
    }

    @Test("an invalid, missing or unwanted value is an error with its line")
    func badValues() {
        let tooMany = UsageError.outOfRange(option: "--threads", value: bytes("9"), allowed: "1 to 8")
        #expect(throws: ConfigError.badLine(file: path, line: 3, tooMany)) { try options("\n--quiet\n--threads=9") }
        let unwanted = ConfigError.badLine(
            file: path, line: 1, .unwantedValue(option: "--quiet"), instead: "--quiet")
        #expect(throws: unwanted) { try options("--quiet yes") }
        #expect { try options("--threads") } throws: {
            guard case .badLine(_, 1, let error, _) = $0 as? ConfigError else { return false }
            return if case .missingValue(option: "--threads", _) = error { true } else { false }
        }
    }

    @Test("a line that is not text is an error with its number")
    func notText() throws {
        try scratch.write("whisper-local/config", "--quiet\n--initial-prompt=a\0b\n")
        #expect(throws: ConfigError.notText(file: path, line: 2)) { try config.lines() }
        try Data(bytes("--quiet\n\n--initial-prompt=") + [0xff]).write(to: URL(filePath: path.description))
        #expect(throws: ConfigError.notText(file: path, line: 3)) { try config.lines() }
    }

    @Test("a file larger than 64 KiB or that is not a file is rejected")
    func notAFile() throws {
        #expect(throws: Never.self) { try options(String(repeating: "#", count: 65_536)) }
        #expect(throws: ConfigError.tooLarge(file: path)) { try options(String(repeating: "#", count: 65_537)) }
        try FileManager.default.removeItem(atPath: path.description)
        try FileManager.default.createDirectory(atPath: path.description, withIntermediateDirectories: true)
        #expect(throws: ConfigError.unreadable(file: path)) { try config.lines() }
    }
}
