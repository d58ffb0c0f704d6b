/// A word of a pass over live audio; times are samples on the session clock.
package struct LiveWord: Hashable, Sendable {
    /// The text with its leading space and punctuation.
    package var text: String
    package var tokens: [Int]
    package var start: Int
    package var end: Int
    /// Mean probability of the tokens.
    package var probability: Double
    /// Whether attention stayed well before the end of the audio while the word was generated.
    package var isStable: Bool

    package init(
        text: String, tokens: [Int] = [], start: Int, end: Int, probability: Double = 1, isStable: Bool = false
    ) {
        self.text = text
        self.tokens = tokens
        self.start = start
        self.end = end
        self.probability = probability
        self.isStable = isStable
    }

    /// The text by which two words count as the same: lower case, without surrounding punctuation, or the text itself
    /// if it consists of nothing else. Swift compares composed and decomposed letters as equal.
    package var key: String { Self.key(of: text) }

    package static func key(of text: String) -> String {
        func isOutside(_ character: Character) -> Bool { character.isPunctuation || character.isWhitespace }
        guard let first = text.firstIndex(where: { !isOutside($0) }),
            let last = text.lastIndex(where: { !isOutside($0) })
        else { return text }
        return text[first...last].lowercased()
    }
}
