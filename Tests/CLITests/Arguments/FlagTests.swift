import Testing
import WhisperEngine
import WhisperCommands

@Suite("Flags")
struct FlagTests {
    @Test("without options every value is its default")
    func defaults() throws {
        #expect(try SampleOptions.of() == SampleOptions())
    }

    @Test("each kind of option sets its property")
    func kinds() throws {
        var expected = SampleOptions()
        expected.isQuiet = true
        expected.timesWords = true
        expected.threads = 8
        expected.beamSize = 1
        expected.temperature = 1
        expected.patience = 0.001
        expected.prompt = "é"
        expected.folder = FilePath("a b")
        expected.color = .dark
        expected.offset = 90
        expected.given = [
            "--quiet", "--word-timestamps", "--threads", "--beam-size", "--temperature", "--patience",
            "--initial-prompt", "--output-dir", "--color", "--offset",
        ]
        let options = try SampleOptions.of(
            "-q", "--word-timestamps", "TRUE", "--threads=8", "--beam-size=1", "--temperature=1.", "--patience=1e-3",
            "--initial-prompt=é", "-o", "a b", "--color=dark", "--offset=1:30")
        #expect(options == expected)
    }

    @Test("None removes an optional number, in any case")
    func none() throws {
        #expect(try SampleOptions.of("--beam-size=3", "--beam-size=None").beamSize == nil)
        #expect(try SampleOptions.of("--patience=2", "--patience=none").patience == nil)
    }

    @Test(
        "a value out of range, or of the wrong kind, is rejected with what is allowed",
        arguments: [
            ("--threads=0", "--threads: 0 is out of range", "--threads N, where N is 1 to 8"),
            ("--threads=9", "--threads: 9 is out of range", "--threads N, where N is 1 to 8"),
            (
                "--threads=99999999999999999999", "--threads: 99999999999999999999 is out of range",
                "--threads N, where N is 1 to 8"
            ),
            ("--threads=2.0", "--threads: '2.0' is not a whole number", "--threads N, where N is 1 to 8"),
            ("--threads=None", "--threads: 'None' is not a number", "--threads N, where N is 1 to 8"),
            ("--beam-size=x", "--beam-size: 'x' is not a number", "--beam-size N, where N is 1 to 100 or None"),
            ("--temperature=-0.1", "--temperature: -0.1 is out of range", "--temperature N, where N is 0 to 1"),
            (
                "--temperature=0,5", "--temperature: '0,5' is not a number",
                "--temperature 0.5 (with a decimal point)"
            ),
            ("--patience=0", "--patience: 0 is out of range", "--patience N, where N is a number above 0 or None"),
            ("--color=drak", "--color: invalid value 'drak'; did you mean 'dark'?", "one of: light, dark"),
            ("--color=", "--color: invalid value ''", "one of: light, dark"),
            ("--word-timestamps=yes", "--word-timestamps: invalid value 'yes'", "one of: true, false"),
            ("--output-dir=", "--output-dir: invalid value ''", "a name or a path"),
            (
                "--offset=1:60", "--offset: invalid value '1:60'",
                "seconds or [hh:]mm:ss[.mmm], such as 90, 12.5 or 1:02:03.5"
            ),
        ])
    func rejected(argument: String, what: String, advice: String) {
        let expected = ErrorReport(.usage, what, advice: advice)
        #expect { try SampleOptions.of(argument) } throws: { ($0 as? UsageError)?.report == expected }
    }

    @Test("text that is not UTF-8 is rejected with the position of the first invalid byte")
    func invalidText() {
        var options = SampleOptions()
        #expect(throws: UsageError.notUTF8(option: "--initial-prompt", byte: 3)) {
            try SampleOptions.flags[6].set([0x61, 0x62, 0xff], &options)
        }
        #expect(options == SampleOptions())
    }

    @Test("the help shows names, placeholder, allowed values and default")
    func help() {
        let entries = SampleOptions.flags.map(\.entry)
        #expect(
            entries.map(\.usage) == [
                "-q, --quiet", "    --word-timestamps[=true|false]", "-t, --threads N", "    --beam-size N",
                "    --temperature N", "    --patience N", "    --initial-prompt TEXT", "-o, --output-dir DIR",
                "    --color light|dark", "    --offset TIME",
            ])
        #expect(
            entries.map(\.fullHelp) == [
                "only errors", "time words", "number of threads (1 to 8; default 5)", "beam size (1 to 100 or None)",
                "sampling temperature (0 to 1; default 0.5)", "patience (a number above 0 or None)", "prompt", "folder",
                "colors (default light)", "skip to this time",
            ])
    }
}
