import Testing
import WhisperServer

@Suite("Text of turns")
struct TurnTextTests {
    @Test(
        "plain text is in lower case without punctuation, except inside words and numbers",
        arguments: [
            ("Hello,", "hello"), ("Don't", "don't"), ("l’été.", "l’été"), ("well-known;", "well-known"),
            ("'quoted'", "quoted"), ("-dash-", "dash"), ("…", ""), ("¿Qué?", "qué"), ("3.5", "3.5"),
            ("1,000.", "1,000"),
            ("10:30", "10:30"), ("U.S.A.", "usa"), ("ÄÖÜ!", "äöü"), ("(yes)", "yes"), ("\"No.\"", "no"), ("$5", "$5"),
            ("。", ""), ("你好。", "你好"), ("rock'n'roll", "rock'n'roll"), ("—", ""), ("♪", ""),
        ])
    func plain(text: String, expected: String) { #expect(TurnText.plain(text) == expected) }

    @Test(
        "words lose their blanks, and tags such as [Music] are not words",
        arguments: [
            (" Hello", "Hello"), ("\u{a0}a\n", "a"), ("  ", ""), ("", ""), (" [BLANK_AUDIO]", ""), (" [Music]", ""),
            (" ♪", ""), (" ♪♪", ""), (" (sic)", "(sic)"), (" [sic", "[sic"), (" …", "…"),
        ])
    func spoken(word: String, expected: String) { #expect(TurnText.spoken(word) == expected) }

    @Test("a sentence ends with its punctuation mark", arguments: ["a.", "a?", "a!", "a…", "啊。", "啊？", "啊！"])
    func ends(word: String) {
        #expect(TurnText.endsSentence(word))
        #expect(!TurnText.endsSentence(word + ","))
        #expect(!TurnText.endsSentence(""))
    }
}
