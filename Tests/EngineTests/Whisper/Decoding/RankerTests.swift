import Testing

@Suite("Ranker")
struct RankerTests {
    struct Case: Decodable {
        struct File: Decodable { let cases: [Case] }
        let lengths: [Int]
        let sumLogprobs: [Double]
        let lengthPenalty: Double?
        /// Missing if the reference fails because it divides by a length of 0.
        let selected: Int?
    }

    @Test("the choice equals the reference's, and an empty text comes last")
    func choice() throws {
        let cases = try Fixtures.decoding("rank", as: Case.File.self).cases
        #expect(cases.count == 302)
        for one in cases {
            let candidates = zip(one.lengths, one.sumLogprobs).map {
                Hypothesis(tokens: Array(repeating: 0, count: $0), sumLogprobs: Float($1))
            }
            let chosen = Ranker(lengthPenalty: one.lengthPenalty).best(of: candidates)
            #expect(chosen == one.selected ?? one.lengths.count - 1)
        }
    }

    @Test("scores are divided by the length to the given power")
    func exponent() {
        let short = Hypothesis(tokens: [1], sumLogprobs: -1)
        let long = Hypothesis(tokens: [1, 2, 3, 4], sumLogprobs: -3)
        for (exponent, best, score) in [(nil, 1, -0.75), (1.0, 1, -0.75), (0, 0, -3), (0.5, 0, -1.5), (2, 1, -0.1875)] {
            let ranker = Ranker(lengthPenalty: nil, lengthExponent: exponent)
            #expect(ranker.best(of: [short, long]) == best)
            #expect(ranker.score(sumLogprobs: -3, length: 4) == score)
        }
    }

    @Test("NaN scores lose, and nothing traps")
    func extremes() {
        let ranker = Ranker(lengthPenalty: nil)
        let nothing = Hypothesis(tokens: [1], sumLogprobs: .nan)
        let something = Hypothesis(tokens: [1], sumLogprobs: -9)
        #expect(ranker.best(of: [nothing, something, something]) == 1)
        #expect(ranker.best(of: [nothing]) == 0)
        #expect(ranker.best(of: []) == 0)
    }
}
