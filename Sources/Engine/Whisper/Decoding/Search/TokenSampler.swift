package import EngineBasics
import EngineCompute

/// Samples tokens from softmax(logits / temperature).
package struct TokenSampler: Sendable {
    private static let block = 512

    private let scale: Float
    private var generator: SplitMix64
    private var weights: [Float] = []

    /// - Parameter temperature: above 0.
    package init(temperature: Double, generator: SplitMix64) {
        // Below about 1e-38 the reciprocal overflows; long before that, every draw is the most likely token.
        scale = min(1 / Float(temperature), Float.greatestFiniteMagnitude)
        self.generator = generator
    }

    /// Draws a token according to its probability; `nil` if none is possible.
    package mutating func draw(from logits: [Float]) -> Int? {
        let position = generator.unit()
        guard weigh(logits) else { return LogProbabilities.best(logits) }
        let starts = stride(from: 0, to: weights.count, by: Self.block)
        let sums = starts.map { LogitKernels.sum(of: weights, in: $0..<min($0 + Self.block, weights.count)) }
        var left = position * sums.reduce(0, +)
        for (start, sum) in zip(starts, sums) {
            if left >= sum {
                left -= sum
                continue
            }
            for id in start..<min(start + Self.block, weights.count) where weights[id] > 0 {
                left -= Double(weights[id])
                if left < 0 { return id }
            }
        }
        // Rounding may leave a remainder after the last token.
        return weights.lastIndex { $0 > 0 }
    }

    /// The distribution that `draw` samples from.
    package mutating func probabilities(of logits: [Float]) -> [Double] {
        guard weigh(logits) else { return logits.map { _ in 0 } }
        let sum = LogitKernels.sum(of: weights, in: weights.indices)
        return weights.map { Double($0) / sum }
    }

    /// Computes `weights`, which are not normalized.
    ///
    /// - Returns: whether the greatest logit is finite.
    private mutating func weigh(_ logits: [Float]) -> Bool {
        let maximum = LogitKernels.maximum(of: logits, in: logits.indices)
        guard maximum.isFinite else { return false }
        if weights.count != logits.count { weights = [Float](repeating: 0, count: logits.count) }
        LogitKernels.exponentials(of: logits, minus: maximum, times: scale, into: &weights)
        return true
    }
}
