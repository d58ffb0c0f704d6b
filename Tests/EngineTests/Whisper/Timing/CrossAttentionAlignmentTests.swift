import Testing

@Suite("Cross-attention alignment")
struct CrossAttentionAlignmentTests {
    struct File: Decodable {
        let cases: [Case]
    }

    struct Word: Decodable {
        let word: String
        let tokens: [Int]
        let start: Double
        let end: Double
        let probability: Double
    }

    struct Case: Decodable, CustomTestStringConvertible {
        let vocabulary: String
        let text: String
        let tokens: [Int]
        let heads: [[Int]]
        let numFrames: Int
        let seed: Int
        let lean: Double
        let rows: Int
        let words: [Word]

        enum CodingKeys: String, CodingKey {
            case vocabulary, text, tokens, heads, seed, lean, rows, words
            case numFrames = "num_frames"
        }

        var testDescription: String { "\(text), \(heads.count) heads, \(numFrames) frames" }

        var isEnglish: Bool { vocabulary == "english" }
        var tokenizer: Tokenizer { isEnglish ? VocabularyFixture.english : VocabularyFixture.multilingual99 }
        var special: SpecialTokens { tokenizer.special }
        var language: String? { isEnglish ? nil : vocabulary.hasSuffix("/ja") ? "ja" : "en" }

        /// Synthetic attention that moves forward in time row by row.
        func scores(layer: Int, head: Int) -> [Float] {
            (0..<rows).flatMap { row -> [Float] in
                let leaning = Int(lean * Double(row))..<(Int(lean * Double(row)) + 12)
                let units = PlantedNumbers.units(seed * 100 + layer * 10 + head, [row], count: 1500)
                return units.enumerated().map { 6 * Float($1) + (leaning.contains($0) ? 5 : 0) }
            }
        }

        func logits(row: Int) -> [Float] {
            PlantedNumbers.units(seed, [7, row], count: special.vocabularySize).map { Float(8 * $0) }
        }
    }

    @Test("word times equal the reference's", arguments: try Fixtures.json("timing/align.json", as: File.self).cases)
    func golden(_ example: Case) {
        let startLength = example.isEnglish ? 1 : 3
        let alignment = CrossAttentionAlignment(
            rows: example.rows, columns: 1500, startLength: startLength, frames: example.numFrames)
        let probabilities = example.tokens.enumerated().map { index, token in
            CrossAttentionAlignment.probability(
                of: token, logits: example.logits(row: startLength + index), endOfText: example.special.endOfText)
        }
        let words = CrossAttentionAlignment.words(
            of: example.tokens, tokenizer: example.tokenizer, language: example.language)
        let timings = alignment.timings(
            of: words,
            scores: example.heads.map { example.scores(layer: $0[0], head: $0[1]) }, probabilities: probabilities)
        #expect(timings.map(\.word) == example.words.map(\.word))
        #expect(timings.map(\.start) == example.words.map(\.start))
        #expect(timings.map(\.end) == example.words.map(\.end))
        #expect(timings.map(\.tokens) == example.words.map(\.tokens))
        for (timing, word) in zip(timings, example.words) {
            // Sums of 50 000 single-precision terms, whose rounding differs.
            #expect(abs(timing.probability - word.probability) <= 1e-5 * word.probability)
        }
    }

    private static let twoWords = [WordTokens(word: " a", tokens: [1]), WordTokens(word: " b", tokens: [2])]

    @Test("text is split together with the end of text, which is not timed")
    func words() throws {
        let tokenizer = VocabularyFixture.multilingual99
        func words(_ tokens: [Int]) -> [WordTokens] {
            CrossAttentionAlignment.words(of: tokens, tokenizer: tokenizer, language: "en")
        }
        #expect(words([]).isEmpty)
        let text = tokenizer.encode(" Hi there.")
        #expect(words(text).map(\.word) == [" Hi", " there", "."])
        // The first byte of an incomplete character belongs to no word, and costs none.
        let cut = try #require(tokenizer.vocabulary.pieces.firstIndex(of: [0xC3]))
        #expect(words(text + [cut]).flatMap(\.tokens) == text)
    }

    @Test("no token, one token and a full context are timed", arguments: [0, 1, 224], [0, 1, 2, 100, 3000])
    func sizes(count: Int, frames: Int) {
        let rows = count + 3
        let alignment = CrossAttentionAlignment(rows: rows, columns: 1500, startLength: 1, frames: frames)
        let scores = (0..<rows).flatMap { PlantedNumbers.units(5, [$0], count: 1500) }.map { Float($0) }
        let words = (0..<count).map { WordTokens(word: " \($0)", tokens: [$0]) }
        let timings = alignment.timings(
            of: words, scores: [scores], probabilities: Array(repeating: 0.5, count: count))
        #expect(timings.count == count)
        // With a single position the reference's path leaves the matrix on the left: 20 ms before the window.
        #expect(timings.allSatisfy { -0.02 <= $0.start && $0.start <= $0.end && $0.end <= Double(frames) / 100 })
        #expect(zip(timings, timings.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(timings.allSatisfy { $0.probability == 0.5 })
    }

    @Test(
        "every word gets a time even without usable attention",
        arguments: [[], [Float.nan], [-Float.infinity], [0]])
    func silentHeads(values: [Float]) {
        let alignment = CrossAttentionAlignment(rows: 5, columns: 20, startLength: 1, frames: 30)
        let scores = values.map { [Float](repeating: $0, count: 100) }
        let timings = alignment.timings(of: Self.twoWords, scores: scores, probabilities: [0.1, 0.2])
        #expect(timings.count == 2)
        #expect(timings.allSatisfy { -0.02 <= $0.start && $0.start <= $0.end && $0.end <= 0.3 })
    }

    @Test("words with more or fewer ids than were fed do not trap")
    func foreignWords() {
        let alignment = CrossAttentionAlignment(rows: 4, columns: 10, startLength: 1, frames: 20)
        let words = [WordTokens(word: "a", tokens: [1, 2, 3, 4, 5]), WordTokens(word: "b", tokens: [6])]
        let scores = [PlantedNumbers.units(6, [], count: 40).map { Float($0) }]
        let timings = alignment.timings(of: words, scores: scores, probabilities: [0.5])
        #expect(timings.map(\.probability) == [0.5, 0])
    }

    @Test("ids that are not text have probability 0", arguments: [-1, 3, 4, 100])
    func foreignToken(token: Int) {
        #expect(CrossAttentionAlignment.probability(of: token, logits: [1, 2, 3, 4], endOfText: 3) == 0)
    }
}
