/// Exactly so many text tokens, then the end: for timing networks whose weights are random.
package struct ForcedLength: LogitFilter {
    package let count: Int
    /// Ids below are text, ids above are special.
    package let endOfText: Int

    package init(count: Int, endOfText: Int) {
        self.count = count
        self.endOfText = endOfText
    }

    package var needsEveryLogit: Bool { false }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        if sampled.count < count {
            LogitKernels.fill(&logits, in: endOfText..<logits.count, with: -.infinity)
        } else {
            LogitKernels.fill(&logits, in: 0..<logits.count, with: -.infinity)
            logits[endOfText] = 0
        }
    }
}
