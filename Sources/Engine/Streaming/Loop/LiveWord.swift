/// A word of a pass over live sound; times are samples on the session's clock.
package struct LiveWord: Hashable, Sendable {
    /// With its leading space and its punctuation.
    package var text: String
    package var tokens: [Int]
    package var start: Int
    package var end: Int
    /// Mean probability of its tokens.
    package var probability: Double
    /// Whether the network attended well before the end of the sound when it wrote it.
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

    /// What makes two words the same: the text in lower case without punctuation around it, or the bare text where
    /// nothing else is in it. Swift compares composed and decomposed letters as equal.
    package var key: String { Self.key(of: text) }

    package static func key(of text: String) -> String {
        func isOutside(_ character: Character) -> Bool { character.isPunctuation || character.isWhitespace }
        guard let first = text.firstIndex(where: { !isOutside($0) }),
            let last = text.lastIndex(where: { !isOutside($0) })
        else { return text }
        return text[first...last].lowercased()
    }
}
