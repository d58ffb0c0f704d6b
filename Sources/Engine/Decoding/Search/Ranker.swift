import Glibc

/// Chooses among hypotheses of different length by likelihood.
package struct Ranker: Sendable {
    /// α of Wu et al., "Google's neural machine translation system" (2016), section 7; `nil` divides by the length.
    package let lengthPenalty: Double?

    package init(lengthPenalty: Double?) {
        self.lengthPenalty = lengthPenalty
    }

    /// Sum / length, or sum / ((5 + length) / 6)^α; -infinity for a length of 0 without α, and for NaN.
    package func score(sumLogprobs: Double, length: Int) -> Double {
        let divisor: Double
        if let lengthPenalty {
            divisor = pow((5 + Double(length)) / 6, lengthPenalty)
        } else if length > 0 {
            divisor = Double(length)
        } else {
            return -.infinity
        }
        let score = sumLogprobs / divisor
        return score.isNaN ? -.infinity : score
    }

    /// Index of the greatest score, the first on ties; 0 where there is nothing to choose.
    package func best(of candidates: [Hypothesis]) -> Int {
        var best = 0
        var bestScore = -Double.infinity
        for (index, candidate) in candidates.enumerated() {
            let score = score(sumLogprobs: Double(candidate.sumLogprobs), length: candidate.tokens.count)
            if score > bestScore {
                best = index
                bestScore = score
            }
        }
        return best
    }
}
