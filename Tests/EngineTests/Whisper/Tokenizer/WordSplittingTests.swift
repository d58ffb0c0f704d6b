import Testing

@Suite("Word splitting")
struct WordSplittingTests {
    struct Golden: Decodable {
        struct Case: Decodable {
            let vocabulary: String, language: String?, on: String?, ids: [Int], words: [String], wordTokens: [[Int]]
        }
        let cases: [Case]
    }

    @Test("token sequences are split as by the reference")
    func golden() throws {
        let cases = try TokenizerGolden.load("split-words", as: Golden.self).cases
        #expect(cases.count == 159)
        for golden in cases {
            let tokenizer = try #require(VocabularyFixture.byName[golden.vocabulary])
            let words =
                golden.on == "unicode"
                ? tokenizer.splitIntoCharacters(golden.ids)
                : tokenizer.splitIntoWords(golden.ids, language: golden.language)
            #expect(words.map { Array($0.word.utf8) } == golden.words.map { Array($0.utf8) }, "\(golden.ids)")
            #expect(words.map(\.tokens) == golden.wordTokens, "\(golden.ids)")
        }
    }

    /// A direct implementation of the definition, which decodes the whole group after each token.
    private func groups(_ ids: [Int], _ tokenizer: Tokenizer) -> [[Int]] {
        let whole = Array(tokenizer.decodeWithTimestamps(ids).unicodeScalars)
        var (result, current, offset): ([[Int]], [Int], Int) = ([], [], 0)
        for id in ids {
            current.append(id)
            let text = Array(tokenizer.decodeWithTimestamps(current).unicodeScalars)
            let position = text.firstIndex(of: "\u{FFFD}").map { offset + $0 }
            if let position, position >= whole.count || whole[position] != "\u{FFFD}" { continue }
            result.append(current)
            current = []
            offset += text.count
        }
        return result
    }

    @Test("random tokens, mostly partial characters, are split as by the definition")
    func definition() {
        let tokenizer = VocabularyFixture.multilingual100
        let replacement = tokenizer.encode("\u{FFFD}")
        var numbers = SplitMix64(seed: 3)
        for _ in 0..<2000 {
            let ids = (0..<Int.random(in: 0...14, using: &numbers)).flatMap { _ -> [Int] in
                switch Int.random(in: 0..<8, using: &numbers) {
                case 0: [Int.random(in: 0..<51_900, using: &numbers)]
                case 1: replacement
                default: [Int.random(in: 0..<256, using: &numbers)]
                }
            }
            #expect(tokenizer.splitIntoCharacters(ids).map(\.tokens) == groups(ids, tokenizer), "\(ids)")
        }
    }

    @Test("a combining mark does not hide the space before it")
    func combiningMark() {
        let tokenizer = VocabularyFixture.multilingual99
        let words = tokenizer.splitIntoWords(tokenizer.encode("a \u{301}b"), language: "en")
        #expect(words.map(\.word).map { Array($0.utf8) } == ["a", " \u{301}b"].map { Array($0.utf8) })
    }
}
