import Testing

@Suite("Tokenizer")
struct TokenizerTests {
    struct Encoded: Decodable {
        struct Case: Decodable { let text: String, utf8: String, ids: [Int] }
        let cases: [Case]
    }

    struct Decoded: Decodable {
        struct Case: Decodable { let ids: [Int], decode: String, decodeWithTimestamps: String }
        let cases: [Case]
    }

    @Test("texts are encoded as by tiktoken", arguments: ["english", "multilingual-99"])
    func encode(kind: String) throws {
        let tokenizer = try #require(VocabularyFixture.byName[kind])
        let cases = try TokenizerGolden.load("encode-\(kind)", as: Encoded.self).cases
        #expect(cases.count == 420)
        for golden in cases { #expect(tokenizer.encode(golden.text) == golden.ids, "\(golden.text)") }
    }

    @Test("decoding an encoded text returns it", arguments: ["english", "multilingual-99"])
    func roundTrip(kind: String) throws {
        let tokenizer = try #require(VocabularyFixture.byName[kind])
        for golden in try TokenizerGolden.load("encode-\(kind)", as: Encoded.self).cases {
            let bytes = tokenizer.decode(golden.ids).utf8
            #expect(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == golden.utf8)
        }
    }

    @Test(
        "token sequences are decoded as by the reference, including invalid UTF-8",
        arguments: ["english", "multilingual-99"])
    func decode(kind: String) throws {
        let tokenizer = try #require(VocabularyFixture.byName[kind])
        let cases = try TokenizerGolden.load("decode-\(kind)", as: Decoded.self).cases
        #expect(cases.count == 201)
        for golden in cases {
            #expect(tokenizer.decode(golden.ids).utf8.elementsEqual(golden.decode.utf8), "\(golden.ids)")
            let timed = tokenizer.decodeWithTimestamps(golden.ids)
            #expect(timed.utf8.elementsEqual(golden.decodeWithTimestamps.utf8), "\(golden.ids)")
        }
    }

    @Test("names of special tokens in a text are encoded as ordinary text")
    func specialNames() {
        let tokenizer = VocabularyFixture.multilingual99
        for text in ["<|endoftext|>", "a<|0.00|>b", "<|en|>"] {
            let ids = tokenizer.encode(text)
            #expect(ids.allSatisfy { $0 < tokenizer.special.endOfText })
            #expect(tokenizer.decode(ids) == text)
        }
    }

    @Test("a vocabulary may list the end of text as a piece")
    func listedEndOfText() {
        let name = Array("<|endoftext|>".utf8)
        let pieces = VocabularyFixture.englishVocabulary.pieces + [name]
        let tokenizer = Tokenizer(vocabulary: Vocabulary(pieces: pieces, size: 51_864))
        #expect(tokenizer.nonSpeechTokens == VocabularyFixture.english.nonSpeechTokens)
        #expect(tokenizer.bytes(of: 50_256) == name)
    }

    @Test("IDs outside the vocabulary decode to nothing", arguments: [Int.min, -1, 51_865, 60_000, Int.max])
    func outside(id: Int) {
        let tokenizer = VocabularyFixture.multilingual99
        #expect(tokenizer.bytes(of: id).isEmpty)
        #expect(tokenizer.decode([id]).isEmpty)
        #expect(tokenizer.decodeWithTimestamps([id]).isEmpty)
        #expect(tokenizer.special.name(of: id) == nil)
        #expect(tokenizer.language(ofToken: id) == nil)
    }

    @Test("a vocabulary with missing pieces or an absurd size does not crash", arguments: [0, -5, 51_864, 1 << 40])
    func hostileVocabulary(size: Int) {
        let tokenizer = Tokenizer(
            vocabulary: Vocabulary(pieces: [[97], [97], [], [98, 99], [255, 255]], size: size))
        #expect(tokenizer.encode("a bc") == [0, 3])
        #expect(tokenizer.decode([0, 1, 2, 3, 4, 5, 50_000]) == "aabc\u{FFFD}\u{FFFD}")
        #expect(tokenizer.splitIntoWords([0, 4, 60_000], language: nil).map(\.tokens) == [[0, 4], [60_000]])
    }

    @Test("all kinds of Unicode whitespace separate words, zero-width spaces do not")
    func whiteSpace() {
        let tokenizer = VocabularyFixture.english
        for space in ["\u{A0}", "\u{2028}", "\u{3000}", "\u{85}"] {
            let ids = tokenizer.encode("a" + space + "b")
            #expect(ids == tokenizer.encode("a") + tokenizer.encode(space) + tokenizer.encode("b"))
        }
        #expect(TextPieces.strings("a\u{200B}\u{1F}!b") == ["a", "\u{200B}\u{1F}!", "b"])
    }
}

@Suite("Text pieces")
struct TextPiecesTests {
    @Test(
        "text is split as by GPT-2's pattern",
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

extension TextPieces {
    static func strings(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return TextPieces(bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }
}
