import EngineBasics
import Testing

@Suite("Suggestions")
struct SuggestionTests {
    @Test(
        "the nearest name is within two edits, or has four leading letters in common",
        arguments: [
            ("--languge", "--language"), ("--temprature", "--temperature"), ("--output", "--output-format"),
            ("--MODEL", "--model"), ("--xyzzy", nil), ("--x", nil),
            ("--languag" + String(repeating: "e", count: 70), "--language"),
        ])
    func nearest(word: String, expected: String?) {
        let names = ["--model", "--language", "--temperature", "--output-format", "--output-dir", "--raw"]
        #expect(Suggestion.nearest(to: word, among: names) == expected)
    }
}
