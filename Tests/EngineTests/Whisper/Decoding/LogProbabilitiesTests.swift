import Foundation
import Testing

@Suite("Log probabilities")
struct LogProbabilitiesTests {
    @Test("values equal the formula in double precision to 3e-6", arguments: [1, 7, 8, 9, 511, 513, 1501, 51_866])
    func formula(count: Int) {
        for scale in [0.001, 1.0, 30] {
            let logits = PlantedNumbers.units(9, [count], count: count).map { Float(($0 - 0.5) * scale) }
            let exact = log(logits.reduce(0) { $0 + exp(Double($1)) })
            let logProbability = LogProbabilities(logits)
            for logit in logits.prefix(20) {
                #expect(abs(Double(logProbability(logit)) - (Double(logit) - exact)) <= 3e-6)
            }
            #expect(abs(logProbability.logSumOfExponentials - exact) <= 3e-6)
            #expect(LogProbabilities.best(logits) == logits.firstIndex(of: logits.max() ?? 0))
        }
    }

    @Test("joining two ranges gives the result for the whole row", arguments: [2, 9, 1030, 51_866])
    func ranges(count: Int) {
        for wanted in [0, 1, 6, 40] {
            // Many values are equal, so that ties matter.
            var logits = PlantedNumbers.units(3, [count, wanted], count: count).map { Float(($0 * 900).rounded() / 50) }
            logits[count / 2] = .nan
            let whole = LogProbabilities(logits, greatest: wanted)
            for border in [0, 1, count / 3, count - 1, count] {
                let early = LogProbabilities(logits, in: 0..<border, greatest: wanted)
                let late = LogProbabilities(logits, in: border..<count, greatest: wanted)
                let joined = early.joined(with: late, of: logits, greatest: wanted)
                #expect(joined.maximum == whole.maximum && joined.greatest == whole.greatest)
                #expect(joined.best == (wanted > 0 ? LogProbabilities.best(logits) : nil))
                #expect(abs(joined.logSumOfExponentials - whole.logSumOfExponentials) < 1e-6)
            }
        }
    }

    @Test("equal logits of a whole vocabulary are equally likely")
    func even() {
        let logits = [Float](repeating: -4, count: 51_866)
        #expect(abs(Double(LogProbabilities(logits)(-4)) + log(51_866)) < 1e-6)
    }

    @Test("impossible tokens have probability 0 and do not affect the others")
    func impossible() {
        let logProbability = LogProbabilities([1, -.infinity, .nan, 1])
        #expect(abs(logProbability(1) + Float(log(2.0))) < 1e-7)
        #expect(logProbability(-.infinity) == -.infinity)
        #expect(logProbability(.nan) == -.infinity)
        #expect(logProbability.probability(.nan) == 0)
    }

    @Test("extreme logits do not trap")
    func extremes() {
        #expect(LogProbabilities([-.infinity, .nan])(-.infinity) == -.infinity)
        #expect(LogProbabilities([])(0) == -.infinity)
        #expect(LogProbabilities.best([]) == nil)
        #expect(LogProbabilities.best([.nan, -.infinity]) == nil)
        #expect(LogProbabilities([3, .infinity])(.infinity) == 0)
        #expect(LogProbabilities([3, .infinity])(3) == -.infinity)
        #expect(LogProbabilities.best([3, .infinity, .infinity]) == 1)
        #expect(LogProbabilities([-3e38, 3e38])(-3e38) == -.infinity)
        #expect(LogProbabilities([-.infinity]).logSumOfExponentials == -.infinity)
        #expect(LogProbabilities([.nan, -.infinity], greatest: 1).best == nil)
        #expect(LogProbabilities([3, .infinity, .infinity], greatest: 1).best == 1)
    }
}
