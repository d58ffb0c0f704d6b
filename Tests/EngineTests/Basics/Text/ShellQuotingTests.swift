import Testing

@Suite("Shell quoting")
struct ShellQuotingTests {
    @Test(
        "names are quoted for the shell, with bytes that are not printable escaped",
        arguments: [
            (Array("plain-1.wav".utf8), "plain-1.wav"), (Array("two words".utf8), "'two words'"),
            (Array("it's".utf8), "'it'\\''s'"), ([98, 97, 100, 0xff, 46], "$'bad\\xff.'"),
            (Array("a\nb\u{1b}[31m".utf8), "$'a\\nb\\x1b[31m'"), ([], "''"), (Array("größe.wav".utf8), "größe.wav"),
        ])
    func quoting(bytes: [UInt8], expected: String) {
        #expect(ShellQuoting.quoted(bytes) == expected)
    }

    @Test("only the beginning of a long name from a file is shown")
    func shown() {
        #expect(ShellQuoting.shown("encoder.ln\n") == "$'encoder.ln\\n'")
        #expect(ShellQuoting.shown(String(repeating: "ä", count: 100)) == String(repeating: "ä", count: 100))
        #expect(ShellQuoting.shown(String(repeating: "ä", count: 101)) == String(repeating: "ä", count: 100) + "…")
        #expect(ShellQuoting.shown("two words", limit: 4) == "'two …'")
    }
}
