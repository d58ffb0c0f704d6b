import Testing
import WhisperEngine

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

    @Test("have the reference's ids", arguments: kinds)
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
        #expect(special.lastTimestamp == golden.timestampLast)
        #expect(Array(special.languages) == golden.allLanguageTokens)
        #expect(tokenizer.encode(" ") == golden.blankIds)
    }

    @Test("have the reference's names", arguments: kinds)
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

    @Test("languages and their tokens belong together", arguments: kinds)
    func languages(kind: String) throws {
        let (tokenizer, golden) = try load(kind)
        let codes = golden.allLanguageTokens.map { tokenizer.language(ofToken: $0)?.code }
        #expect(codes == golden.allLanguageCodes)
        for (code, id) in zip(golden.allLanguageCodes, golden.allLanguageTokens) {
            #expect(try tokenizer.languageToken(code) == id)
        }
    }

    @Test("open a transcript as the reference does", arguments: kinds)
    func startOfTranscript(kind: String) throws {
        let (tokenizer, golden) = try load(kind)
        #expect(try tokenizer.startOfTranscriptSequence() == golden.sotSequenceDefault)
        for (name, ids) in golden.sotSequences ?? [:] {
            let parts = name.split(separator: "/").map(String.init)
            let task = try #require(TranscriptionTask(rawValue: parts[1]))
            #expect(try tokenizer.startOfTranscriptSequence(language: parts[0], task: task) == ids)
        }
    }

    @Test("a language that the vocabulary lacks is an error")
    func missingLanguage() throws {
        #expect(try VocabularyFixture.multilingual100.startOfTranscriptSequence(language: "cantonese")[1] == 50_358)
        let error = LanguageError.notInVocabulary(code: "yue", name: "cantonese", languages: 99)
        #expect(throws: error) { try VocabularyFixture.multilingual99.startOfTranscriptSequence(language: "yue") }
        #expect(
            error.description == "this model knows 99 languages, yue (cantonese) is not among them; "
                + "use a model that has it, such as large-v3 or turbo")
        #expect(throws: LanguageError.unknown(language: "xx", nearest: nil)) {
            try VocabularyFixture.multilingual99.languageToken("xx")
        }
    }

    @Test("signs that are not spoken are the reference's", arguments: kinds)
    func nonSpeech(kind: String) throws {
        let (tokenizer, golden) = try load(kind)
        #expect(tokenizer.nonSpeechTokens == golden.nonSpeechTokens)
        #expect(tokenizer.suppressedTokens([-1]) == golden.suppressMinusOne)
    }

    @Test("a suppress list always holds the tokens that open a transcript, an empty one nothing")
    func suppressed() {
        let tokenizer = VocabularyFixture.multilingual99
        let opening = [50_258, 50_358, 50_359, 50_360, 50_361, 50_362]
        #expect(tokenizer.suppressedTokens([]) == [])
        #expect(tokenizer.suppressedTokens([7, 5, 7, 50_359]) == [5, 7] + opening)
        #expect(tokenizer.suppressedTokens([-2, 51_864, 51_865, .max, .min]) == opening + [51_864])
    }
}
