import Testing

@testable import WhisperEngine

@Suite("Control characters")
struct ControlCharactersTests {
    @Test("control characters and separators are replaced, everything else stays")
    func replaced() {
        let text = "\u{0}\u{1b}[31m\u{7f}\u{85}\u{9f}\u{2028}\u{2029}e\u{301} \u{200d}\u{a0}\u{1f399}\t\r\n"
        #expect(
            text.replacingControlCharacters(with: "?", except: ["\t", "\n"])
                == "??[31m?????e\u{301} \u{200d}\u{a0}\u{1f399}\t?\n")
        #expect("a\tb".replacingControlCharacters() == "a\u{fffd}b")
    }
}
