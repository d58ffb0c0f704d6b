/// Makes ids that were already produced in this window less likely (CTranslate2's rule).
///
/// A logit x becomes x · penalty below 0 and x / penalty above, once for each id.
package struct RepetitionPenalty: LogitFilter {
    /// Above 1 repetitions are rarer, below 1 more frequent.
    package let penalty: Float

    package init(penalty: Float) {
        self.penalty = penalty
    }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        // All are computed before any is written: an id produced twice is still punished once.
        let punished = sampled.map { logits[$0] < 0 ? logits[$0] * penalty : logits[$0] / penalty }
        for (id, logit) in zip(sampled, punished) { logits[id] = logit }
    }
}
