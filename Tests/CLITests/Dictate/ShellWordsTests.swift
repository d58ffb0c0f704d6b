import Testing
import WhisperCommands

@Suite("Shell words")
struct ShellWordsTests {
    @Test(
        "a command line is split as a shell would split it, but nothing is expanded",
        arguments: [
            ("wtype -", ["wtype", "-"]), ("  a\t'b c'  \"d \\\" e\"f\\ g ", ["a", "b c", "d \" ef g"]),
            ("a ''", ["a", ""]), ("$HOME;ls|x", ["$HOME;ls|x"]), ("", []), ("'a", nil), ("a\\", nil), ("a\0b", nil),
        ] as [(String, [String]?)])
    func split(text: String, expected: [String]?) {
        #expect(ShellWords.split(text) == expected)
    }
}
