import Foundation
import Testing

@Suite("Logit kernels")
struct LogitKernelsTests {
    static let counts = [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 511, 512, 513, 1500, 5003]

    static func values(_ count: Int, seed: Int) -> [Float] {
        PlantedNumbers.units(seed, [count], count: count).map { Float(($0 * 40).rounded() - 30) }
    }

    @Test("the top values are sorted, the lower index first on ties", arguments: counts)
    func greatest(count: Int) {
        for number in [0, 1, 2, 6, 65] {
            let values = Self.values(count, seed: number)
            let sorted = values.indices.sorted { values[$0] != values[$1] ? values[$0] > values[$1] : $0 < $1 }
            var indices = [99]
            LogitKernels.greatest(number, of: values, into: &indices)
            #expect(indices == Array(sorted.prefix(number)))
        }
    }

    @Test("NaN ranks like -infinity")
    func nan() {
        var found: [Int] = []
        LogitKernels.greatest(3, of: [.nan, -.infinity, 2, .nan, 3], into: &found)
        #expect(found == [4, 2, 0])
        #expect(LogitKernels.maximum(of: [.nan, 1, .nan], in: 0..<3) == 1)
    }

    @Test(
        "a survey equals separate passes for top values, maximum and sum",
        arguments: counts + [1023, 1024, 1025, 51_866])
    func survey(count: Int) {
        for (number, scale) in [(0, 1), (1, 1), (6, 100), (65, 0.001)] as [(Int, Float)] {
            // Rising numbers, so that every block has a new maximum.
            let values = Self.values(count, seed: number).enumerated().map { $1 * scale + Float($0) * scale / 100 }
            let range = min(3, count)..<count
            var (found, expected): ([Int], [Int]) = ([99], [])
            let (maximum, sum) = LogitKernels.survey(of: values, in: range, greatest: number, into: &found)
            LogitKernels.greatest(number, of: Array(values[range]), into: &expected)
            #expect(found == expected.map { $0 + range.lowerBound })
            #expect(maximum == LogitKernels.maximum(of: values, in: range))
            guard maximum.isFinite else { continue }
            let exact = values[range].reduce(0) { $0 + exp(Double($1 - maximum)) }
            #expect(abs(sum - exact) <= 1e-6 * exact)
        }
    }

    @Test("the first maximum wins a tie", arguments: counts)
    func first(count: Int) {
        let values = Self.values(count, seed: 4)
        let found = LogitKernels.firstMaximum(of: values)
        #expect(found?.index == values.max().flatMap { values.firstIndex(of: $0) })
        #expect(found?.value == values.max())
    }

    @Test("sums and maxima of any range equal plain loops", arguments: counts)
    func ranges(count: Int) {
        let values = Self.values(count, seed: 5)
        for range in [0..<count, count / 3..<count, 0..<(count - count / 3), count..<count] {
            let maximum = LogitKernels.maximum(of: values, in: range)
            #expect(maximum == values[range].max() ?? -.infinity)
            #expect(LogitKernels.sum(of: values, in: range) == values[range].reduce(0) { $0 + Double($1) })
        }
    }

    @Test("exponentials are accurate to a relative error of 1e-6 down to exp(-10)")
    func exponentials() {
        let values = stride(from: Float(0), to: -90, by: -0.0137).map { $0 }
        var weights = [Float](repeating: -1, count: values.count)
        LogitKernels.exponentials(of: values, minus: 0, times: 1, into: &weights)
        #expect(weights[0] == 1)
        for (value, weight) in zip(values, weights) {
            let exact = exp(Double(value))
            let tolerance = value > -10 ? 1e-6 : 1e-5
            #expect(abs(Double(weight) - exact) <= (weight == 0 ? 1e-37 : tolerance * exact))
        }
    }

    @Test("fill changes only its range")
    func fill() {
        var values: [Float] = [1, 2, 3, 4]
        LogitKernels.fill(&values, in: 1..<3, with: 0)
        LogitKernels.fill(&values, in: 4..<4, with: 9)
        #expect(values == [1, 0, 0, 4])
    }
}
