import Testing

@Suite("No-repeat n-grams")
struct NoRepeatNgramsTests {
    @Test(
        "ids that would repeat an n-gram are suppressed",
        arguments: [
            (1, [2, 4, 2], [2, 4]), (1, [], []), (2, [1, 2, 1], [2]), (2, [1, 2, 1, 3, 1], [2, 3]), (2, [1], []),
            (2, [1, 1], [1]), (3, [1, 2, 3, 1, 2], [3]), (3, [1, 2, 3, 2, 1], []), (3, [1, 2], []),
            (3, [5, 5, 5], [5]), (9, [1, 2, 3], []),
        ])
    func rule(size: Int, sampled: [Int], expected: [Int]) {
        var logits = [Float](repeating: 1, count: 8)
        NoRepeatNgrams(size: size).apply(to: &logits, sampled: sampled)
        #expect(logits.indices.filter { logits[$0] == -.infinity } == expected)
    }

    @Test("the generated tokens contain no n-gram twice", arguments: [1, 2, 3, 4])
    func produced(size: Int) throws {
        var options = DecodingOptions()
        options.sampleLength = 60
        let task = DecodingTask(
            options: options, filters: [NoRepeatNgrams(size: size)], endOfText: 23, noSpeech: nil, vocabularySize: 24)
        // The logits depend only on the length, so that without the filter 7 and 5 would repeat.
        let scorer = ScriptedScorer(vocabularySize: 24) { prefix in
            var row = [Float](repeating: 0, count: 24)
            row[7] = 5
            row[5] = prefix.count.isMultiple(of: 3) ? 6 : 4
            row[23] = prefix.count > 30 ? 9 : -9
            return row
        }
        let tokens = try task.run(scorer, from: InitialTokens(tokens: [0], sotIndex: 0)).tokens
        var seen: Set<[Int]> = []
        for end in stride(from: size, through: tokens.count, by: 1) {
            #expect(seen.insert(Array(tokens[(end - size)..<end])).inserted)
        }
        #expect(tokens.count > 20)
    }
}

@Suite("Repetition penalty")
struct RepetitionPenaltyTests {
    @Test("negative logits are multiplied and positive ones divided, once per id")
    func rule() {
        var logits: [Float] = [3, -3, 0, 3, -.infinity]
        RepetitionPenalty(penalty: 1.5).apply(to: &logits, sampled: [0, 1, 1, 0, 2, 4])
        #expect(logits == [2, -4.5, 0, 3, -.infinity])
    }

    @Test("a penalty below 1 encourages repetition")
    func below() {
        var logits: [Float] = [3, -3]
        RepetitionPenalty(penalty: 0.5).apply(to: &logits, sampled: [0, 1])
        #expect(logits == [6, -1.5])
    }
}
