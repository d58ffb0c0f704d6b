/// A candidate for a window's text.
package struct Hypothesis: Hashable, Sendable {
    /// Produced ids; the end of text, where it was reached, is not among them.
    package var tokens: [Int]
    /// Sum of their log probabilities and of the end's, in float32 as the reference adds them.
    package var sumLogprobs: Float

    package init(tokens: [Int] = [], sumLogprobs: Float = 0) {
        self.tokens = tokens
        self.sumLogprobs = sumLogprobs
    }
}
