import Testing

@Suite("Parakeet's vocabulary")
struct ParakeetVocabularyTests {
    static let vocabulary = ParakeetVocabulary(
        ["<unk>", "<|en|>", "▁h", "el", "lo", "▁hel", "▁", "w", ".", "h", "e", "l", "o", "ö", "<", ">"])

    @Test("control pieces are no text, everything else is")
    func text() {
        let vocabulary = Self.vocabulary
        #expect(vocabulary.text(of: [0, 1, 5, 4, 8, 6, 7, 99]) == " hello. w")
        #expect(vocabulary.textBytes(of: 13) == Array("ö".utf8) && vocabulary.textBytes(of: 5) == Array(" hel".utf8))
        #expect(vocabulary.textBytes(of: 0) == nil && vocabulary.textBytes(of: 16) == nil)
        #expect(vocabulary.text(of: [14, 15]) == "<>")
    }

    @Test("text is encoded by joining the neighbors whose union comes first")
    func encoding() {
        #expect(Self.vocabulary.encode("hello w.") == [5, 4, 6, 7, 8])
        #expect(Self.vocabulary.encode("  öhx ") == [6, 13, 9])
        #expect(Self.vocabulary.encode("").isEmpty)
    }

    @Test("a model without capitals hears terms in lower case, and none with letters that it does not write")
    func terms() {
        #expect(Self.vocabulary.encode("Hello HÖ") == [5, 4, 2, 13])
        #expect(TermProblem(Term("Hello"), for: Self.vocabulary) == nil)
        #expect(TermProblem(Term("Hellx"), for: Self.vocabulary) == .unknown)
        #expect(TermProblem(Term("東京都"), for: Self.vocabulary) == .unknown)
    }

    @Test("a published vocabulary spells what it encodes")
    func roundTrip() throws {
        let vocabulary = try ParakeetFolder(ParakeetFixture.all[0].folder).vocabulary
        #expect(vocabulary.pieces.count == 256)
        #expect(vocabulary.text(of: vocabulary.encode("mezo qde6ti i Hmemu")) == " mezo qde6ti i Hmemu")
    }
}
