import Testing

@Suite("Special tokens")
struct SpecialTokensTests {
    static let kinds = ["english", "multilingual-99", "multilingual-100"]

    struct Golden: Decodable {
        let nVocab: Int, eot: Int, sot: Int, translate: Int, transcribe: Int, sotLm: Int, sotPrev: Int
        let noSpeech: Int, noTimestamps: Int, timestampBegin: Int, timestampLast: Int
        let blankIds: [Int], sotSequenceDefault: [Int], nonSpeechTokens: [Int], suppressMinusOne: [Int]
        let allLanguageTokens: [Int], allLanguageCodes: [String]
        let specialTokensBelowTimestamps: [String: Int], timestampNamesSample: [String: Int]
        let sotSequences: [String: [Int]]?
    }

    private func load(_ kind: String) throws -> (Tokenizer, Golden) {
        (try #require(VocabularyFixture.byName[kind]), try TokenizerGolden.load("special-\(kind)"))
    }

    @Test("IDs are the reference's", arguments: kinds)
    func ids(kind: String) throws {
        let (tokenizer, golden) = try load(kind)
        let special = tokenizer.special
        #expect(special.vocabularySize == golden.nVocab)
        #expect(special.endOfText == golden.eot)
        #expect(special.startOfTranscript == golden.sot)
        #expect(special.translate == golden.translate)
        #expect(special.transcribe == golden.transcribe)
        #expect(special.startOfLanguageModel == golden.sotLm)
        #expect(special.startOfPrevious == golden.sotPrev)
        #expect(special.noSpeech == golden.noSpeech)
        #expect(special.noTimestamps == golden.noTimestamps)
        #expect(special.firstTimestamp == golden.timestampBegin)
        #expect(special.vocabularySize - 1 == golden.timestampLast)
        #expect(Array(special.languages) == golden.allLanguageTokens)
        #expect(tokenizer.encode(" ") == golden.blankIds)
    }

    @Test("names are the reference's", arguments: kinds)
    func names(kind: String) throws {
        let (tokenizer, golden) = try load(kind)
        for (name, id) in golden.specialTokensBelowTimestamps.merging(
            golden.timestampNamesSample, uniquingKeysWith: max)
        {
            #expect(tokenizer.special.name(of: id) == name)
        }
        #expect(golden.specialTokensBelowTimestamps.count == golden.timestampBegin - golden.eot)
        #expect(tokenizer.special.name(of: golden.eot - 1) == nil)
    }

    @Test("each language maps to its token and back", arguments: kinds)
    func languages(kind: String) throws {
        let (tokenizer, golden) = try load(kind)
        let codes = golden.allLanguageTokens.map { tokenizer.language(ofToken: $0)?.code }
        #expect(codes == golden.allLanguageCodes)
        for (code, id) in zip(golden.allLanguageCodes, golden.allLanguageTokens) {
            #expect(try tokenizer.languageToken(code) == id)
        }
    }

    @Test("the start-of-transcript sequence is the reference's", arguments: kinds)
    func startOfTranscript(kind: String) throws {
        let (tokenizer, golden) = try load(kind)
        #expect(try tokenizer.startOfTranscriptSequence() == golden.sotSequenceDefault)
        for (name, ids) in golden.sotSequences ?? [:] {
            let parts = name.split(separator: "/").map(String.init)
            let task = try #require(TranscriptionTask(rawValue: parts[1]))
            #expect(try tokenizer.startOfTranscriptSequence(language: parts[0], task: task) == ids)
        }
    }

    @Test("a language without a token in the vocabulary is an error")
    func missingLanguage() throws {
        #expect(try VocabularyFixture.multilingual100.startOfTranscriptSequence(language: "cantonese")[1] == 50_358)
        let error = Language.LookupError.notInVocabulary(code: "yue", name: "cantonese", languages: 99)
        #expect(throws: error) { try VocabularyFixture.multilingual99.startOfTranscriptSequence(language: "yue") }
        #expect(
            error.description == "this model supports 99 languages but not yue (cantonese); "
                + "use a model that does, such as large-v3 or turbo")
        #expect(throws: Language.LookupError.unknown(language: "xx", nearest: nil)) {
            try VocabularyFixture.multilingual99.languageToken("xx")
        }
    }

    @Test("non-speech tokens are the reference's", arguments: kinds)
    func nonSpeech(kind: String) throws {
        let (tokenizer, golden) = try load(kind)
        #expect(tokenizer.nonSpeechTokens == golden.nonSpeechTokens)
        let suppressed = SuppressTokens([-1], nonSpeechTokens: tokenizer.nonSpeechTokens, specials: tokenizer.special)
        #expect(suppressed.tokens == golden.suppressMinusOne)
    }

    @Test("suppressing any token also suppresses the tokens that open a transcript, each once")
    func suppressed() {
        let tokenizer = VocabularyFixture.multilingual99
        let suppressed = SuppressTokens([7, 5, 7, 50_359], nonSpeechTokens: [], specials: tokenizer.special)
        #expect(suppressed.tokens == [5, 7, 50_258, 50_358, 50_359, 50_360, 50_361, 50_362])
    }
}
