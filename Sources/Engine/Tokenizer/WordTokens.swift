/// A word of decoded text and the ids that make it.
package struct WordTokens: Hashable, Sendable {
    /// With its leading space.
    package var word: String
    package var tokens: [Int]

    package init(word: String, tokens: [Int]) {
        self.word = word
        self.tokens = tokens
    }
}
