import Testing
import WhisperCommands

@Suite("Parser")
struct ParserTests {
    @Test("a value follows its option as the next argument or after an equals sign")
    func values() throws {
        #expect(try SampleOptions.values("--threads", "3") == ["--threads=3"])
        #expect(try SampleOptions.values("--threads=3") == ["--threads=3"])
        #expect(try SampleOptions.values("--initial-prompt=a=b") == ["--initial-prompt=a=b"])
        #expect(try SampleOptions.values("--initial-prompt=") == ["--initial-prompt="])
        #expect(try SampleOptions.values("-t", "3", "-q") == ["--threads=3", "--quiet="])
    }

    @Test("underscores in a long option's name count as dashes, those in its value stay")
    func underscores() throws {
        #expect(try SampleOptions.values("--output_dir=my_talks") == ["--output-dir=my_talks"])
        #expect(try SampleOptions.values("--initial_prompt", "a_b") == ["--initial-prompt=a_b"])
    }

    @Test("short options are neither combined nor joined with their value", arguments: ["-qt", "-t3", "-t=3"])
    func clusters(argument: String) {
        #expect(throws: UsageError.unknownOption(Array(argument.utf8), nearest: nil)) {
            try SampleOptions.parse([argument])
        }
    }

    @Test("options and operands mix, and everything after -- is an operand")
    func operands() throws {
        #expect(try SampleOptions.operands("a", "-q", "b", "-t", "3", "-") == ["a", "b", "-"])
        #expect(try SampleOptions.operands("-q", "--", "-t", "--", "--nonsense") == ["-t", "--", "--nonsense"])
        #expect(try SampleOptions.values("-q", "--", "-t") == ["--quiet="])
        #expect(try SampleOptions.operands("") == [""])
    }

    @Test("a boolean takes the next argument only if it is true or false")
    func booleans() throws {
        #expect(try SampleOptions.values("--word-timestamps") == ["--word-timestamps=true"])
        #expect(try SampleOptions.values("--word-timestamps", "False") == ["--word-timestamps=False"])
        #expect(try SampleOptions.values("--word-timestamps=no") == ["--word-timestamps=no"])
        #expect(try SampleOptions.values("--word-timestamps", "a.wav") == ["--word-timestamps=true"])
        #expect(try SampleOptions.operands("--word-timestamps", "a.wav") == ["a.wav"])
    }

    @Test("negative numbers, a lone dash and text with spaces are values", arguments: ["-1", "-.5", "-", "- a b"])
    func dashedValues(value: String) throws {
        #expect(try SampleOptions.values("--initial-prompt", value) == ["--initial-prompt=\(value)"])
    }

    @Test("an option is not taken for the value of the one before", arguments: [[], ["--quiet"], ["-q"], ["--"]])
    func missingValues(rest: [String]) {
        #expect(throws: UsageError.missingValue(option: "--threads", example: "--threads 5")) {
            try SampleOptions.parse(["-t"] + rest)
        }
    }

    @Test("a toggle takes no value", arguments: ["--quiet=yes", "--quiet="])
    func unwantedValues(argument: String) {
        #expect(throws: UsageError.unwantedValue(option: "--quiet")) { try SampleOptions.parse([argument]) }
    }

    @Test("an unknown option is reported as typed, with the nearest known one")
    func unknown() {
        #expect(throws: UsageError.unknownOption(Array("--thraeds".utf8), nearest: "--threads")) {
            try SampleOptions.parse(["--thraeds=3"])
        }
        #expect(throws: UsageError.unknownOption(Array("--output_fold".utf8), nearest: "--output-dir")) {
            try SampleOptions.parse(["--output_fold", "x"])
        }
        #expect(throws: UsageError.unknownOption(Array("--xyzzy".utf8), nearest: nil)) {
            try SampleOptions.parse(["--xyzzy"])
        }
    }

    @Test("an option of other commands is reported with those commands")
    func otherCommands() {
        let error = UsageError.optionOfOtherCommand(option: "--step", commands: ["live", "bench"])
        #expect(throws: error) { try SampleOptions.parse(["--step", "1"]) }
        #expect(error.report.what == "--step is an option of `live` and `bench`")
    }

    @Test("an option of another program is reported with its name here, if the command has it")
    func otherPrograms() {
        let error = UsageError.renamedOption("--cpu-threads", here: "--threads N")
        #expect(throws: error) { try SampleOptions.parse(["--cpu_threads", "2"]) }
        #expect(error.report.what == "--cpu-threads is called --threads here")
        #expect(throws: UsageError.unknownOption(Array("-osrt".utf8), nearest: nil)) {
            try SampleOptions.parse(["-osrt"])
        }
    }

    @Test("an argument longer than 64 KiB is rejected, no matter where it is")
    func tooLong() {
        let long = String(repeating: "x", count: 65_537)
        for arguments in [[long], ["--initial-prompt", long], ["-q", long]] {
            #expect(throws: UsageError.argumentTooLong(length: 65_537)) { try SampleOptions.parse(arguments) }
        }
        #expect(throws: Never.self) { try SampleOptions.parse([String(long.dropLast())]) }
    }

    @Test("the last of repeated options wins")
    func repeated() throws {
        let options = try SampleOptions.of("--threads", "2", "-t", "3", "--color=dark", "--color=light")
        #expect(options.threads == 3 && options.color == .light)
    }

    @Test("the command line overrides the config file, whose options do not count as given")
    func config() throws {
        let line = try SampleOptions.parse(["--threads=3"])
        let options = try Parser.options(line, flags: SampleOptions.flags) { options in
            (options.threads, options.temperature) = (2, 0.25)
        }
        #expect(options.threads == 3 && options.temperature == 0.25)
        #expect(options.given == ["--threads"])
    }

    @Test("--help counts anywhere before --")
    func help() {
        func asks(_ arguments: String...) -> Bool {
            Parser.contains(["--help", "-h"], in: arguments.map { Array($0.utf8) })
        }
        #expect(asks("--nonsense", "-h") && asks("--help", "--"))
        #expect(!asks("--", "--help") && !asks("help") && !asks())
    }
}
