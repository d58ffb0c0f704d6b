import Testing

@Suite("Token sampler")
struct TokenSamplerTests {
    struct Case: Decodable {
        struct File: Decodable { let cases: [Case] }
        let seed: Int
        let prefix: [Int]
        let sharp: Double
        let temperature: Double
        let probabilities: [Double]
        let logprobsAdded: [Double]
    }
    static let cases = (try? Fixtures.decoding("sampling", as: Case.File.self).cases) ?? []

    @Test("all reference cases are present")
    func count() { #expect(Self.cases.count == 15) }

    @Test("the distribution equals the reference's; log probabilities ignore the temperature", arguments: cases)
    func distribution(one: Case) {
        let scorer = FormulaScorer(seed: one.seed, sharp: one.sharp, eotGain: 0, begin: 0)
        let logits = scorer.logits(after: one.prefix)
        var sampler = TokenSampler(temperature: one.temperature, generator: SplitMix64(seed: 1))
        let logProbability = LogProbabilities(logits)
        for (id, probability) in sampler.probabilities(of: logits).enumerated() {
            #expect(abs(probability - one.probabilities[id]) <= 1e-6)
            #expect(abs(Double(logProbability(logits[id])) - one.logprobsAdded[id]) <= 1e-4)
        }
    }

    @Test("the frequencies of many draws follow the distribution", arguments: [0.4, 1.0])
    func frequencies(temperature: Double) {
        let logits = FormulaScorer(seed: 3, sharp: 3, eotGain: 0, begin: 0).logits(after: [0])
        var sampler = TokenSampler(temperature: temperature, generator: SplitMix64(seed: 7))
        let count = 20_000
        var drawn = Array(repeating: 0, count: logits.count)
        for _ in 0..<count { drawn[sampler.draw(from: logits) ?? 0] += 1 }
        for (times, probability) in zip(drawn, sampler.probabilities(of: logits)) {
            // Five standard deviations.
            let spread = 5 * (probability * (1 - probability) / Double(count)).squareRoot() + 1e-9
            #expect(abs(Double(times) / Double(count) - probability) <= spread)
        }
    }

    @Test("the draws depend on seed, window and temperature, and on nothing else")
    func seeds() {
        let logits = [Float](repeating: 0, count: 51_866)
        func draws(_ seed: UInt64, _ position: Int, _ temperature: Double) -> [Int?] {
            let generator = SplitMix64(seed: seed, position: position, temperature: temperature)
            var sampler = TokenSampler(temperature: temperature, generator: generator)
            return (0..<5).map { _ in sampler.draw(from: logits) }
        }
        let first = draws(1, 3000, 0.2)
        #expect(first == draws(1, 3000, 0.2))
        #expect(first != draws(2, 3000, 0.2))
        #expect(first != draws(1, 6000, 0.2))
        #expect(first != draws(1, 3000, 0.4))
    }

    @Test("impossible tokens are never drawn")
    func impossible() {
        var logits = [Float](repeating: -.infinity, count: 2000)
        logits[5] = .nan
        logits[700] = -3
        logits[1999] = -3
        var sampler = TokenSampler(temperature: 1, generator: SplitMix64(seed: 1))
        #expect(Set((0..<200).map { _ in sampler.draw(from: logits) }) == [700, 1999])
    }

    @Test("extreme logits and temperatures do not trap", arguments: [1e-300, 1e-40, 1e-6, 1, 1e6, 1e300])
    func extremes(temperature: Double) {
        var sampler = TokenSampler(temperature: temperature, generator: SplitMix64(seed: 1))
        #expect(sampler.draw(from: [-.infinity, .nan]) == nil)
        #expect(sampler.draw(from: [1, .infinity, 2]) == 1)
        #expect(sampler.draw(from: [-1e38, -.infinity, .nan]) == 0)
        #expect(sampler.draw(from: []) == nil)
        if temperature < 1e-3 { #expect(sampler.draw(from: [0.5, 1, 0.9]) == 1) }
    }

    @Test("the generator produces the published numbers")
    func generator() {
        var generator = SplitMix64(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(expected.map { _ in generator.next() } == expected)
        #expect((0..<1000).allSatisfy { _ in (0..<1).contains(generator.unit()) })
    }
}
