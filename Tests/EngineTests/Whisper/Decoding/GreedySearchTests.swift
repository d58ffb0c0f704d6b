import Testing

@Suite("Greedy search")
struct GreedySearchTests {
    static let cases = (try? Fixtures.decoding("greedy", as: SearchCase.File.self).cases) ?? []

    struct BestOf: Decodable {
        struct File: Decodable { let cases: [BestOf] }
        let seed: Int
        let sharp: Double
        let eotGain: Double
        let begin: [Int]
        let temperature: Double
        let bestOf: Int
        let draws: [[Int]]
        let candidates: [[Int]]
        let sumLogprobs: [Double]
        let selected: Int
    }
    static let bestOf = (try? Fixtures.decoding("best-of", as: BestOf.File.self).cases) ?? []

    @Test("all reference cases are present")
    func count() {
        #expect(Self.cases.count == 72)
        #expect(Self.bestOf.count == 6)
    }

    @Test("tokens, sums and steps equal the reference's", arguments: cases)
    func steps(one: SearchCase) throws {
        var search = GreedySearch(endOfText: FormulaScorer.endOfText)
        let (steps, completed, _) = one.replay(&search)
        #expect(steps == one.steps)
        #expect(completed == one.completed)
        one.expectCandidates(search.candidates())

        var stepCount = 0
        let result = try one.task.run(one.scorer, from: one.initial) { _ in stepCount += 1 }
        one.expectWinner(result)
        #expect(stepCount == one.steps)
    }

    @Test("given the same draws, sums and choice of several candidates equal the reference's", arguments: bestOf)
    func candidates(one: BestOf) throws {
        var options = DecodingOptions()
        options.temperature = one.temperature
        options.bestOf = one.bestOf
        options.sampleLength = 15
        let task = DecodingTask(
            options: options, filters: [], endOfText: FormulaScorer.endOfText, noSpeech: nil, vocabularySize: 24)
        let scorer = FormulaScorer(
            seed: one.seed, sharp: one.sharp, eotGain: one.eotGain, begin: one.begin.count)
        var drawn = Array(repeating: 0, count: one.bestOf)
        let result = try task.run(
            scorer, from: InitialTokens(tokens: one.begin, sotIndex: 0),
            choose: { _, candidate in
                defer { drawn[candidate] += 1 }
                return one.draws[drawn[candidate]][candidate]
            })
        #expect(result.tokens == one.candidates[one.selected])
        #expect(abs(result.sumLogprobs - one.sumLogprobs[one.selected]) <= 1e-4 * Double(result.tokens.count + 1))

        var search = GreedySearch(count: one.bestOf, endOfText: FormulaScorer.endOfText) { _, candidate in
            drawn[candidate] += 1
            return one.draws[drawn[candidate] - 1][candidate]
        }
        drawn = drawn.map { _ in 0 }
        var logits = scorer.start(one.begin, logitsAt: [one.begin.count - 1])
        while search.extend(by: logits) {
            // Finished rows are not extended any more.
            #expect(search.sources.count == one.candidates.count { $0.count >= search.rows[0].count })
            scorer.advance(search.rows.map { $0[$0.count - 1] }, from: search.sources, into: &logits)
        }
        #expect(search.candidates().map(\.tokens) == one.candidates)
        for (candidate, sum) in zip(search.candidates(), one.sumLogprobs) {
            #expect(abs(Double(candidate.sumLogprobs) - sum) <= 1e-4 * Double(candidate.tokens.count + 1))
        }
    }

    @Test("on ties the lowest id wins")
    func ties() {
        var search = GreedySearch(endOfText: 3)
        let continues = search.extend(by: [[0, 2, 2, 2]])
        #expect(continues)
        #expect(search.rows == [[1]])
    }

    @Test("a hypothesis without a possible token ends", arguments: [-Float.infinity, .nan])
    func extremes(value: Float) {
        var search = GreedySearch(endOfText: 3)
        let continues = search.extend(by: [[value, value, value, value]])
        #expect(!continues)
        #expect(search.candidates() == [Hypothesis(tokens: [], sumLogprobs: -.infinity)])
    }
}
