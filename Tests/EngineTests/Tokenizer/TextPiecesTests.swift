import Testing
import WhisperEngine

@Suite("Text pieces")
struct TextPiecesTests {
    @Test(
        "cuts as GPT-2's pattern does",
        arguments: [
            ("it's we'll I'Ve", ["it", "'s", " we", "'ll", " I", "'", "Ve"]),
            ("'rent 'r 'l '", ["'re", "nt", " '", "r", " '", "l", " '"]), ("a   b", ["a", "  ", " b"]),
            ("a \n b\t", ["a", " \n", " b", "\t"]), ("a\tb", ["a", "\t", "b"]), ("  ", ["  "]),
            ("v1.5 10%", ["v", "1", ".", "5", " 10", "%"]), ("e\u{301}x", ["e", "\u{301}", "x"]),
            ("漢字①々", ["漢字", "①", "々"]), ("!'s", ["!'", "s"]), ("\u{3000}\u{3000}a", ["\u{3000}", "\u{3000}", "a"]),
            ("𝒜🙂 🙂", ["𝒜", "🙂", " 🙂"]), ("", []),
        ])
    func pieces(text: String, expected: [String]) {
        #expect(TextPieces.strings(text) == expected)
    }
}
