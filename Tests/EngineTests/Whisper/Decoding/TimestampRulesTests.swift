import Testing

@Suite("Timestamp rules")
struct TimestampRulesTests {
    /// Samples a whole window from random logits.
    static func sampled(seed: Int, timestampGain: Float, limit: Double?) -> [Int] {
        let specials = SpecialTokens(vocabularySize: 51_864)
        let rules: [any LogitFilter] = [
            SuppressTokens(Array(specials.startOfTranscript...specials.noSpeech)),
            TimestampRules(specials: specials, maxInitialTimestamp: limit),
        ]
        var sampler = TokenSampler(temperature: 1, generator: SplitMix64(seed: UInt64(seed)))
        var tokens: [Int] = []
        while tokens.count < 40 {
            // Only a few ids are likely, some of them timestamps, so that every rule applies at some point.
            var logits = [Float](repeating: -20, count: specials.vocabularySize)
            for at in 0..<12 {
                let hash = PlantedNumbers.state(seed, [tokens.count, at])
                let isTime = at < 4
                let span = isTime ? 1501 : specials.endOfText
                let first = isTime ? specials.firstTimestamp : 0
                logits[first + Int(hash % UInt64(span))] =
                    Float(PlantedNumbers.unit(hash)) * 4
                    + (isTime ? timestampGain : 0)
            }
            for rule in rules { rule.apply(to: &logits, sampled: tokens) }
            guard let id = sampler.draw(from: logits), id != specials.endOfText else { break }
            tokens.append(id)
        }
        return tokens
    }

    @Test("timestamps never go backwards, come in pairs, and leave no segment empty", arguments: 0..<40)
    func order(seed: Int) throws {
        let specials = SpecialTokens(vocabularySize: 51_864)
        let first = specials.firstTimestamp
        for (gain, limit) in [(Float(0), 1.0), (3, nil), (-3, 2.5), (6, 30)] {
            let tokens = Self.sampled(seed: seed, timestampGain: gain, limit: limit)
            let opening = try #require(tokens.first)
            #expect(opening >= first)
            if let limit { #expect(Double(opening - first) * 0.02 <= limit + 1e-9) }
            let times = tokens.filter { $0 >= first }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(!tokens.contains(specials.noTimestamps))
            // Between two texts there are an end and a start; every start is before its end.
            var start = opening
            for index in tokens.indices.dropFirst() where tokens[index] >= first {
                if tokens[index - 1] < first {
                    #expect(tokens[index] > start, "a segment ends when it starts")
                } else {
                    #expect(index == 1 || tokens[max(0, index - 2)] < first, "three timestamps in a row")
                    start = tokens[index]
                }
            }
            for index in tokens.indices.dropFirst(2) where tokens[index] < first && tokens[index - 1] >= first {
                #expect(index == 1 || tokens[index - 2] >= first, "text after a single end")
            }
        }
    }

    @Test(
        "the latest first timestamp rounds half a step to even",
        arguments: [(1.0, 50), (0.03, 2), (0.05, 2), (0.001, 0), (1e9, 1500)])
    func limit(seconds: Double, last: Int) {
        let specials = SpecialTokens(vocabularySize: 51_865)
        var logits = [Float](repeating: 0, count: specials.vocabularySize)
        TimestampRules(specials: specials, maxInitialTimestamp: seconds).apply(to: &logits, sampled: [])
        #expect(logits.lastIndex { $0.isFinite } == specials.firstTimestamp + last)
    }

    @Test("extreme logits do not trap", arguments: [-Float.infinity, .nan, .infinity])
    func extremes(value: Float) {
        let specials = SpecialTokens(vocabularySize: 51_864)
        let t = specials.firstTimestamp
        let rules = TimestampRules(specials: specials, maxInitialTimestamp: 1)
        for sampled in [[], [t], [t, 5], [t, 5, t + 1500], [t, 5, t + 1500, t + 1500]] {
            var logits = [Float](repeating: value, count: specials.vocabularySize)
            rules.apply(to: &logits, sampled: sampled)
            #expect(logits[specials.noTimestamps] == -.infinity)
        }
    }
}
