/// Colors words by their probability for a terminal, like whisper.cpp.
public enum TokenColors {
    /// From red to green, in the 256-color palette.
    static let palette = [160, 166, 208, 215, 227, 114, 71]

    /// Returns the text in the color of its probability p: entry ⌊7·p³⌋ of the palette.
    public static func colored(_ text: String, probability: Double) -> String {
        let position = 7 * probability * probability * probability
        let index = position > 0 ? Int(min(position, Double(palette.count - 1))) : 0
        return "\u{1b}[38;5;\(palette[index])m" + sanitized(text) + "\u{1b}[0m"
    }

    /// Returns the text of a segment with each word in its color, or without color if it has no words.
    public static func colored(_ segment: TranscriptSegment) -> String {
        guard let words = segment.words, !words.isEmpty else { return sanitized(segment.text) }
        return words.map { colored($0.word, probability: $0.probability) }.joined()
    }

    /// Replaces control characters except tab and newline with U+FFFD: the output of a model must not control the
    /// terminal.
    private static func sanitized(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.value {
            case 0x09, 0x0a: scalar
            case 0..<0x20, 0x7f..<0xa0: "\u{fffd}"
            default: scalar
            }
        }
        var result = ""
        result.unicodeScalars.append(contentsOf: scalars)
        return result
    }
}
