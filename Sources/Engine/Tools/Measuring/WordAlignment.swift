import EngineBasics

/// A minimum-cost alignment of two word sequences; every deletion, insertion and substitution costs 1.
package struct WordAlignment: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        /// Indices in the hypothesis and in the reference.
        case match(Int, Int)
        case substitution(Int, Int)
        /// The index of a reference word that the hypothesis is missing.
        case deletion(Int)
        /// The index of an extra hypothesis word.
        case insertion(Int)
    }

    /// The alignment from first to last word.
    package let steps: [Step]
    package private(set) var substitutions = 0
    package private(set) var deletions = 0
    package private(set) var insertions = 0

    package var errors: Int { substitutions + deletions + insertions }

    /// Among alignments of equal cost, tracing back from the end prefers a match, then a substitution, then a deletion,
    /// then an insertion.
    package init(_ hypothesis: [String], to reference: [String]) {
        let costs = EditDistance(hypothesis, reference)
        var steps: [Step] = []
        var (h, r) = (hypothesis.count, reference.count)
        while h > 0 || r > 0 {
            let cost = costs[h, r]
            if h > 0, r > 0, hypothesis[h - 1] == reference[r - 1], cost == costs[h - 1, r - 1] {
                (h, r) = (h - 1, r - 1)
                steps.append(.match(h, r))
            } else if h > 0, r > 0, cost == costs[h - 1, r - 1] + 1 {
                (h, r) = (h - 1, r - 1)
                steps.append(.substitution(h, r))
                substitutions += 1
            } else if r > 0, cost == costs[h, r - 1] + 1 {
                r -= 1
                steps.append(.deletion(r))
                deletions += 1
            } else {
                h -= 1
                steps.append(.insertion(h))
                insertions += 1
            }
        }
        self.steps = steps.reversed()
    }
}
