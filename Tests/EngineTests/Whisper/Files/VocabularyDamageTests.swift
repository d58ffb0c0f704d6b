import Testing

@Suite("Damaged vocabularies")
struct VocabularyDamageTests {
    @Test("Whisper's vocabularies are not damaged")
    func whole() {
        #expect(!VocabularyFixture.englishVocabulary.isDamaged)
        #expect(!VocabularyFixture.multilingual100Vocabulary.isDamaged)
    }

    @Test("pieces decoded as UTF-8 are damaged in as many entries as in early converters' files")
    func damaged() {
        for (vocabulary, lost) in [
            (VocabularyFixture.englishVocabulary, 344), (VocabularyFixture.multilingual99Vocabulary, 1476),
        ] {
            let pieces = vocabulary.pieces.map { Array(String(decoding: $0, as: UTF8.self).utf8) }
            #expect(zip(pieces, vocabulary.pieces).count { $0 != $1 } == lost)
            #expect(Vocabulary(pieces: pieces, size: vocabulary.size).isDamaged)
        }
    }

    @Test("a damaged vocabulary loses bytes without crashing")
    func encode() {
        let vocabulary = VocabularyFixture.englishVocabulary
        let pieces = vocabulary.pieces.map { Array(String(decoding: $0, as: UTF8.self).utf8) }
        let tokenizer = Tokenizer(vocabulary: Vocabulary(pieces: pieces, size: vocabulary.size))
        #expect(tokenizer.decode(tokenizer.encode("plain words")) == "plain words")
        #expect(tokenizer.encode("\u{10FFFF}").isEmpty)
    }

    @Test("an empty vocabulary is damaged")
    func empty() {
        #expect(Vocabulary(pieces: [], size: 51_864).isDamaged)
    }
}
