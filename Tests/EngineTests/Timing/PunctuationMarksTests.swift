import Testing
import WhisperEngine

@Suite("Punctuation marks")
struct PunctuationMarksTests {
    private let marks = PunctuationMarks("\"'.。,，!！?？:：”)]}、")

    @Test("hold each mark, neighbours and nothing", arguments: ["", "\"", "、", "?？:", ")]}"])
    func inside(text: String) {
        #expect(marks.contains(text))
    }

    @Test("hold no other text", arguments: ["a", ".,", "(", " ", ".\u{301}", "\u{FF0C}\u{FF0C}", "'.。,，!！?？:：”)]}、."])
    func outside(text: String) {
        #expect(!marks.contains(text))
    }
}
