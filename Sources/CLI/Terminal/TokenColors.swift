package import WhisperEngine

/// Colors words by their probability for a terminal, like whisper.cpp.
package enum TokenColors {
    /// From red to green, in the 256-color palette.
    static let palette = [160, 166, 208, 215, 227, 114, 71]

    /// Returns the text in the color of its probability p: entry ⌊7·p³⌋ of the palette.
    package static func colored(_ text: String, probability: Double) -> TerminalText {
        let position = 7 * probability * probability * probability
        let index = position > 0 ? Int(min(position, Double(palette.count - 1))) : 0
        return "\u{1b}[38;5;\(palette[index])m\(text)\u{1b}[0m"
    }

    /// Returns the text of a segment with each word in its color, or without color if it has no words.
    package static func colored(_ segment: TranscriptSegment) -> TerminalText {
        guard let words = segment.words, !words.isEmpty else { return TerminalText(segment.text) }
        return words.map { colored($0.word, probability: $0.probability) }.reduce(into: "", +=)
    }
}
