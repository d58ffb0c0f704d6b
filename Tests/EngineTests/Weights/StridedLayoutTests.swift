import Testing

@Suite("Strided tensors")
struct StridedLayoutTests {
    /// The positions of all elements in the order of the shape, by definition.
    private static func positions(_ sizes: [Int], _ strides: [Int]) -> [Int] {
        var positions = [0]
        for (size, stride) in zip(sizes, strides) {
            positions = positions.flatMap { start in (0..<size).map { start + $0 * stride } }
        }
        return positions
    }

    @Test("the elements of any range are where the strides say", arguments: 0..<4)
    func runs(seed: Int) throws {
        var draws = SplitMix64(seed: UInt64(seed))
        for _ in 0..<500 {
            let rank = Int.random(in: 0...4, using: &draws)
            let sizes = (0..<rank).map { _ in Int.random(in: 0...5, using: &draws) }
            let strides = (0..<rank).map { _ in Int.random(in: 0...9, using: &draws) }
            let layout = try #require(StridedLayout(sizes: sizes, strides: strides))
            let expected = Self.positions(sizes, strides)
            #expect(layout.span == (expected.max() ?? -1) + 1)
            #expect(layout.isContiguous == (expected == Array(0..<expected.count)), "\(sizes) \(strides)")
            let from = Int.random(in: 0...expected.count, using: &draws)
            let range = from..<Int.random(in: from...expected.count, using: &draws)
            var found: [Int] = []
            layout.eachRun(range) { first, step, count in found += (0..<count).map { first + $0 * step } }
            #expect(found == Array(expected[range]), "\(sizes) \(strides) \(range)")
        }
    }

    @Test("sizes and strides that overflow or are negative are rejected")
    func impossible() {
        let huge = Int.max
        for (sizes, strides) in [
            ([2], [-1]), ([3], [huge]), ([2, 2], [huge, 1]), ([huge, huge], [0, 0]), ([1 << 32, 1 << 32], [0, 1]),
            ([1], [1, 1]), ([2], [huge]),
        ] {
            #expect(StridedLayout(sizes: sizes, strides: strides) == nil, "\(sizes) \(strides)")
        }
    }
}
