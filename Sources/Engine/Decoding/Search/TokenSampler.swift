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

/// A small random number generator that gives the same numbers on every machine.
///
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), with the constants of Vigna's
/// public-domain version.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// A separate stream for each pass over a window, so that no result depends on the windows before it.
    ///
    /// - Parameters:
    ///   - position: of the window in the recording.
    ///   - temperature: of the pass, so that a second pass over a window does not repeat the draws of the first.
    package init(seed: UInt64, position: Int, temperature: Double) {
        state = seed
        state = next() ^ UInt64(bitPattern: Int64(position))
        state = next() ^ temperature.bitPattern
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number in 0..<1 with 53 random bits.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
