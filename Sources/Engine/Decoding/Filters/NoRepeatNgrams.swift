/// No n ids come in the same order twice in a window.
package struct NoRepeatNgrams: LogitFilter {
    /// n, at least 1.
    package let size: Int

    package init(size: Int) {
        self.size = size
    }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        guard sampled.count >= size else { return }
        let opening = sampled.suffix(size - 1)
        for end in (size - 1)..<sampled.count where sampled[(end - size + 1)..<end].elementsEqual(opening) {
            logits[sampled[end]] = -.infinity
        }
    }
}
