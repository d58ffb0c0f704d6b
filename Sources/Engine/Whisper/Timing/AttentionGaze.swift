import Glibc

/// The audio position that the alignment heads attend to for each generated token (AlignAtt).
///
/// Each head's weights are standardized over the tokens so far, position by position, so that positions that every token
/// attends to (the beginning, silence) do not count, then smoothed and averaged over the heads.
package struct AttentionGaze: Sendable {
    /// Number of audio positions (20 ms each) that are not padding.
    private let positions: Int
    private let filter = MedianFilter(width: 7)
    private var count = 0.0
    /// For each head and position.
    private var sums: [Double]
    private var squares: [Double]

    package init(heads: Int, positions: Int) {
        self.positions = positions
        sums = [Double](repeating: 0, count: heads * positions)
        squares = sums
    }

    /// Adds the next token's scores.
    ///
    /// - Parameter scores: one row for each head, before softmax, at least `positions` long.
    /// - Returns: the position that the token attends to most.
    package mutating func append(_ scores: [ArraySlice<Float>]) -> Int {
        guard positions > 0 else { return 0 }
        count += 1
        var total = [Float](repeating: 0, count: positions)
        for (head, row) in scores.enumerated() {
            let weights = Self.softmax(row.prefix(positions))
            var standard = [Float](repeating: 0, count: positions)
            for i in 0..<min(positions, weights.count) {
                let at = head * positions + i
                sums[at] += weights[i]
                squares[at] += weights[i] * weights[i]
                let mean = sums[at] / count
                let deviation = max(0, squares[at] / count - mean * mean).squareRoot()
                standard[i] = Float((weights[i] - mean) / max(deviation, 1e-6))
            }
            filter.apply(to: &standard, columns: positions)
            for i in 0..<positions { total[i] += standard[i] }
        }
        var best = 0
        for i in 1..<max(1, positions) where total[i] > total[best] { best = i }
        return best
    }

    private static func softmax(_ scores: ArraySlice<Float>) -> [Double] {
        let greatest = scores.max() ?? 0
        let weights = scores.map { Double(expf($0 - greatest)) }
        let sum = weights.reduce(0, +)
        return weights.map { $0 / sum }
    }
}
