import Testing
import WhisperCommands
import WhisperEngine

@Suite("Display width")
struct DisplayWidthTests {
    @Test(
        "wide characters occupy two columns, combining ones none",
        arguments: [
            ("abc", 3), ("日本語", 6), ("e\u{301}", 1), ("👨‍👩‍👧", 2), ("❤️", 2), ("한글", 4), ("", 0), ("a\u{200b}", 1),
            ("a\u{fe0f}", 1), ("\u{fe0f}", 0), ("1\u{fe0f}\u{20e3}", 2),
        ])
    func columns(text: String, expected: Int) {
        #expect(DisplayWidth.columns(of: text) == expected)
    }

    @Test("the tail is the end of the text that fits, without half a wide character")
    func tail() {
        #expect(DisplayWidth.tail(of: "abcdef", columns: 6) == "abcdef")
        #expect(DisplayWidth.tail(of: "abcdef", columns: 4) == "…def")
        #expect(DisplayWidth.tail(of: "日本語", columns: 4) == "…語")
        #expect(DisplayWidth.tail(of: "日本語", columns: 1) == "")
    }

    @Test("the head is the start of the text that fits")
    func head() {
        #expect(DisplayWidth.head(of: "a日本", columns: 4) == "a日")
        #expect(DisplayWidth.head(of: "abc", columns: 0) == "")
    }
}
