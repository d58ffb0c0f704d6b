import Testing
import whisper_local

@Suite("Suggestions")
struct SuggestionTests {
    @Test(
        "the distance counts insertions, deletions, replacements and swaps",
        arguments: [
            ("", "", 0), ("a", "", 1), ("languge", "language", 1), ("lagnuage", "language", 1),
            ("kitten", "sitting", 3),
            ("small", "smal", 1),
        ])
    func distance(a: String, b: String, expected: Int) {
        #expect(Suggestion.distance(Array(a.utf8), Array(b.utf8)) == expected)
        #expect(Suggestion.distance(Array(b.utf8), Array(a.utf8)) == expected)
    }

    @Test(
        "the nearest name is within two edits, or has four leading letters in common",
        arguments: [
            ("--languge", "--language"), ("--temprature", "--temperature"), ("--output", "--output-format"),
            ("--MODEL", "--model"), ("--xyzzy", nil), ("--x", nil),
        ])
    func nearest(word: String, expected: String?) {
        let names = ["--model", "--language", "--temperature", "--output-format", "--output-dir", "--raw"]
        #expect(Suggestion.nearest(to: word, among: names) == expected)
    }
}
