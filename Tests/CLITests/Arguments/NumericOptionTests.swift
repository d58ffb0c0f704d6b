import Foundation
import Testing

/// The numeric options of all commands, as their help lists them.
@Suite("Numeric options")
struct NumericOptionTests {
    @Test(
        "no number crashes a command or makes it allocate what it cannot use",
        arguments: [
            ("transcribe", "--duration 1 talk.wav", 25), ("live", "--quiet --speed max --file short.wav", 3),
            ("dictate", "--model ./missing", 1), ("serve", "--model ./missing", 8),
            ("cache clear", "--cache none.db", 1),
            ("history search", "word", 1), ("history export", "none", 3), ("bench", "--model ./missing", 8),
            ("models pull", "--model-dir . no-such-model", 1),
        ])
    func extremes(command: String, arguments: String, count: Int) throws {
        let outcome = try Program.shell(
            """
            cp "$CLIPS/say-00.wav" talk.wav; ffmpeg -v error -t 0.3 -i talk.wav short.wav
            sweep-options '\(command)' \(arguments)
            """, in: Program.Scratch())
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 1, "\(lines.joined(separator: "\n"))")
        let options = try #require(lines.last.flatMap { Int($0.prefix { $0.isNumber }) })
        #expect(options >= count, "\(options) options")
        #expect(outcome.error == "")
    }

    @Test("an error about a value out of range names the bound")
    func bounds() throws {
        let outcome = try Program.shell(
            """
            for option in repetition-penalty=1e300 repetition-penalty=0.009 temperature-increment-on-fallback=1e-9; do
                whisper-local transcribe --$option no.wav
            done; whisper-local transcribe --repetition-penalty=100 --temperature-increment-on-fallback=0.01 no.wav
            """, in: Program.Scratch())
        #expect(
            outcome.error == """
                error: --repetition-penalty: 1e300 is out of range
                try: --repetition-penalty N, where N is 0.01 to 100
                error: --repetition-penalty: 0.009 is out of range
                try: --repetition-penalty N, where N is 0.01 to 100
                error: --temperature-increment-on-fallback: 1e-9 is out of range
                try: --temperature-increment-on-fallback N, where N is 0 or 0.01 to 1 or None
                error: no such file: no.wav
                try: check the name and the folder

                """)
    }
}
