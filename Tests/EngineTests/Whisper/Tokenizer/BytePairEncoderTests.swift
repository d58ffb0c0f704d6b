import Testing

@Suite("Byte-pair encoder")
struct BytePairEncoderTests {
    /// A direct implementation of the definition, which searches for the lowest pair after each merge.
    private func merged(_ word: [UInt8], _ ranks: [[UInt8]: Int]) -> [Int] {
        if let id = ranks[word] { return [id] }
        var parts = word.map { [$0] }
        while true {
            let pairs = parts.indices.dropLast().compactMap { index in
                ranks[parts[index] + parts[index + 1]].map { (rank: $0, index: index) }
            }
            guard let best = pairs.min(by: { $0 < $1 }) else { return parts.compactMap { ranks[$0] } }
            parts[best.index] += parts.remove(at: best.index + 1)
        }
    }

    @Test("random words are encoded as by the definition", arguments: ["english", "multilingual-99"])
    func definition(kind: String) throws {
        let tokenizer = try #require(VocabularyFixture.byName[kind])
        let ranks = Dictionary(
            tokenizer.vocabulary.pieces.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var numbers = SplitMix64(seed: 7)
        for alphabet in ["ab", "etaoinshrdlu", "éèàüñß", "日本語中文字", "абвгдеж"] {
            for length in [1, 2, 3, 5, 9, 30, 120] {
                let word = String((0..<length).map { _ in alphabet.randomElement(using: &numbers) ?? "a" })
                #expect(tokenizer.encode(word) == merged(Array(word.utf8), ranks), "\(word)")
            }
        }
    }

    @Test(
        "encoding a word of 128 KiB does not take quadratic time", .timeLimit(.minutes(1)),
        arguments: ["a", "ab", "th", "é", "=", " "])
    func longWord(unit: String) {
        let tokenizer = VocabularyFixture.english
        let word = String(repeating: unit, count: 131_072 / unit.utf8.count)
        let started = ContinuousClock.now
        #expect(tokenizer.decode(tokenizer.encode(word)) == word)
        // Quadratic work would take minutes; the limit allows for slow and busy machines.
        #expect(ContinuousClock.now - started < .seconds(5))
    }
}
