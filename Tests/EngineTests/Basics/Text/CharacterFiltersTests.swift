import Testing

@Suite("Character filters")
struct CharacterFiltersTests {
    @Test("control characters and separators are replaced, everything else stays")
    func replaced() {
        let text = "\u{0}\u{1b}[31m\u{7f}\u{85}\u{9f}\u{2028}\u{2029}e\u{301} \u{200d}\u{a0}\u{1f399}\t\r\n"
        #expect(
            text.replacingControlCharacters(with: "?", except: ["\t", "\n"])
                == "??[31m?????e\u{301} \u{200d}\u{a0}\u{1f399}\t?\n")
        #expect("a\tb".replacingControlCharacters() == "a\u{fffd}b")
    }

    @Test("whitespace is stripped as by Python")
    func strip() {
        #expect(WhiteSpace.strip("\u{1C}\u{1F} \u{85}\u{A0}a b\u{3000}\n") == "a b")
        #expect(WhiteSpace.strip("\u{200B}a\u{FEFF}").unicodeScalars.count == 3)
        #expect(WhiteSpace.strip(" \u{301}").unicodeScalars.count == 1)
        #expect(WhiteSpace.strip(" \n ").isEmpty)
    }
}
