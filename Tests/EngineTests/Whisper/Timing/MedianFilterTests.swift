import Testing

@Suite("Median filter")
struct MedianFilterTests {
    struct File: Decodable {
        let cases: [Case]
    }

    struct Case: Decodable, CustomTestStringConvertible {
        let seed: Int
        let rows: Int
        let cols: Int
        let roundedToQuarters: Bool
        let width: Int
        let result: [[Float]]

        enum CodingKeys: String, CodingKey {
            case seed, rows, cols, width, result
            case roundedToQuarters = "rounded_to_quarters"
        }

        var testDescription: String { "\(rows) × \(cols), width \(width)" }

        var input: [Float] {
            let numbers = (0..<rows).flatMap { PlantedNumbers.units(seed, [$0], count: cols) }.map { Float($0) }
            guard roundedToQuarters else { return numbers }
            return numbers.map { ($0 * 4).rounded(.toNearestOrEven) / 4 }
        }
    }

    @Test("medians equal torch's", arguments: try Fixtures.json("timing/median.json", as: File.self).cases)
    func golden(_ example: Case) {
        var values = example.input
        MedianFilter(width: example.width).apply(to: &values, columns: example.cols)
        #expect(values == example.result.flatMap { $0 })
    }

    /// By the zero-one principle, a network of comparisons that sorts all zeros and ones sorts everything.
    @Test("the median of every pattern of seven low and high values is found")
    func patterns() {
        for pattern in 0..<128 {
            let values = (0..<7).map { Float((pattern >> $0) & 1) }
            var filtered = values
            MedianFilter(width: 7).apply(to: &filtered, columns: 7)
            #expect(filtered[3] == values.sorted()[3], "\(values)")
        }
    }

    @Test("NaN of either sign counts as the greatest value")
    func notNumbers() {
        var values: [Float] = [1, 2, 3, .nan, -.nan, -1, -2, .infinity]
        MedianFilter(width: 7).apply(to: &values, columns: 8)
        // Seven values around index 3: -2 -1 1 2 3 NaN NaN; around index 4: -2 -1 2 3 inf NaN NaN.
        #expect(values[3] == 2)
        #expect(values[4] == 3)
    }

    @Test("an empty matrix stays empty", arguments: [0, 1, 3])
    func empty(columns: Int) {
        var values: [Float] = []
        MedianFilter(width: 7).apply(to: &values, columns: columns)
        #expect(values.isEmpty)
    }
}
