import Testing

@Suite("Suspicious segments")
struct SegmentTimingTests {
    private func segment(_ words: [(String, Double, Double)]) -> SegmentTiming {
        var at = 1.0
        return SegmentTiming(
            start: 1, end: 2, textTokenCount: words.count,
            words: words.map { word, duration, probability in
                defer { at += duration }
                return WordTiming(word: word, tokens: [1], start: at, end: at + duration, probability: probability)
            })
    }

    @Test("segments without words or with ordinary ones are not suspicious")
    func ordinary() {
        #expect(!segment([]).isAnomalous)
        #expect(!segment([(" good", 0.5, 0.9), (" words", 0.5, 0.15)]).isAnomalous)
    }

    @Test("a segment in which every word is improbable is suspicious")
    func improbable() {
        #expect(segment([(" bad", 0.5, 0.14), (" words", 0.5, 0.1)]).isAnomalous)
        #expect(!segment([(" bad", 0.5, 0.14), (" good", 0.5, 0.9)]).isAnomalous)
    }

    @Test("a segment with very short or very long words is suspicious")
    func lengths() {
        // (0.133 - 0.0625) · 15 is slightly more than 1 for each of the words.
        #expect(segment([(" a", 0.0625, 0.9), (" b", 0.0625, 0.9)]).isAnomalous)
        #expect(segment([(" a", 5, 0.9), (" b", 0.5, 0.9), (" c", 0.5, 0.9), (" d", 0.5, 0.9)]).isAnomalous)
        #expect(!segment([(" a", 4.5, 0.9), (" b", 0.5, 0.9), (" c", 0.5, 0.9), (" d", 0.5, 0.9)]).isAnomalous)
    }

    @Test("a segment that is only punctuation is suspicious")
    func punctuation() {
        #expect(segment([(".", 0.5, 0.9), ("?？", 0.5, 0.9)]).isAnomalous)
    }

    @Test("only the first eight words are judged")
    func firstEight() {
        let good = Array(repeating: (" good", 0.5, 0.9), count: 8)
        let bad = Array(repeating: (" bad", 0.5, 0.1), count: 8)
        #expect(!segment(good + bad).isAnomalous)
        #expect(segment(bad + good).isAnomalous)
    }
}
