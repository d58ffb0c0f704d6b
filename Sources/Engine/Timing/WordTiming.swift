/// A word of a window as the alignment found it.
package struct WordTiming: Hashable, Sendable {
    /// Text with its leading space.
    package var word: String
    package var tokens: [Int]
    /// Seconds from the start of the window.
    package var start: Double
    package var end: Double
    /// Mean probability of the tokens.
    package var probability: Double

    package init(word: String, tokens: [Int], start: Double, end: Double, probability: Double) {
        self.word = word
        self.tokens = tokens
        self.start = start
        self.end = end
        self.probability = probability
    }
}
