import Glibc

/// A strategy that builds a likely sequence of tokens step by step.
///
/// A row is a hypothesis that is still growing; before the first step there is one row without tokens. At each step the
/// caller filters the rows' logits and passes them to `extend`, which replaces the rows.
package protocol TokenSearch {
    /// Tokens generated so far in each row.
    var rows: [[Int]] { get }
    /// For each row, the index of the previous step's row that it continues.
    var sources: [Int] { get }
    /// The hypothesis that would win now; the next step may change it completely.
    var best: Hypothesis { get }

    /// The number of tokens that the last step left of the only row, before it added one; `nil` if it left all of them.
    var rewound: Int? { get }

    /// How many of a row's greatest logits the search needs.
    var width: Int { get }

    /// Makes one step.
    ///
    /// - Parameters:
    ///   - logits: filtered logits of each row.
    ///   - probabilities: of each row, with its `width` greatest logits.
    /// - Returns: whether the search continues.
    mutating func extend(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> Bool

    /// The hypotheses to choose from, including unfinished ones where the strategy admits them; never empty.
    func candidates() -> [Hypothesis]
}

extension TokenSearch {
    package var rewound: Int? { nil }
}

/// A candidate for a window's text.
package struct Hypothesis: Hashable, Sendable {
    /// Generated ids, without the end of text.
    package var tokens: [Int]
    /// The log probability of each of them.
    package var logprobs: [Float]
    /// Sum of their log probabilities and that of the end of text, added in float32 like the reference.
    package var sumLogprobs: Float
    /// What the search has added for terms.
    package var bonus: Float = 0

    package init(tokens: [Int] = [], logprobs: [Float] = [], sumLogprobs: Float = 0) {
        self.tokens = tokens
        self.logprobs = logprobs
        self.sumLogprobs = sumLogprobs
    }

    /// What the search compares.
    var score: Float { sumLogprobs + bonus }

    /// The same after ids that were not chosen, and so are certain.
    func preceded(by ids: [Int]) -> Hypothesis {
        guard !ids.isEmpty else { return self }
        var hypothesis = self
        hypothesis.tokens = ids + tokens
        hypothesis.logprobs = ids.map { _ in 0 } + logprobs
        return hypothesis
    }
}

/// Chooses the most likely of several hypotheses of different lengths.
package struct Ranker: Sendable {
    /// α of Wu et al., "Google's neural machine translation system" (2016), section 7; `nil` divides by the length.
    package let lengthPenalty: Double?
    /// The power of the length that divides scores without α.
    package let lengthExponent: Double

    package init(lengthPenalty: Double?, lengthExponent: Double? = nil) {
        self.lengthPenalty = lengthPenalty
        self.lengthExponent = lengthExponent ?? 1
    }

    /// Sum / length^exponent, or sum / ((5 + length) / 6)^α; -infinity for NaN, and without α for a length of 0.
    package func score(sumLogprobs: Double, length: Int) -> Double {
        let divisor: Double
        if let lengthPenalty {
            divisor = pow((5 + Double(length)) / 6, lengthPenalty)
        } else if length > 0 {
            divisor = lengthExponent == 1 ? Double(length) : pow(Double(length), lengthExponent)
        } else {
            return -.infinity
        }
        let score = sumLogprobs / divisor
        return score.isNaN ? -.infinity : score
    }

    /// Index of the greatest score, the first one on ties; 0 for an empty list.
    package func best(of candidates: [Hypothesis]) -> Int {
        var best = 0
        var bestScore = -Double.infinity
        for (index, candidate) in candidates.enumerated() {
            let score = score(sumLogprobs: Double(candidate.score), length: candidate.tokens.count)
            if score > bestScore {
                best = index
                bestScore = score
            }
        }
        return best
    }
}
