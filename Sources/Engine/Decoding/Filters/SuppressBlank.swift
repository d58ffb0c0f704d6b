/// Neither a blank nor the end of the text as the first token.
package struct SuppressBlank: LogitFilter {
    /// Ids of a text of one space.
    package let blank: [Int]
    package let endOfText: Int

    package init(blank: [Int], endOfText: Int) {
        self.blank = blank
        self.endOfText = endOfText
    }

    package var needsEveryLogit: Bool { false }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        guard sampled.isEmpty else { return }
        for id in blank { logits[id] = -.infinity }
        logits[endOfText] = -.infinity
    }
}
