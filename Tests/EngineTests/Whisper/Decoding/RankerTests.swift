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
