/// Colours and styles by which a terminal shows how sure the model was, those of whisper.cpp.
public enum TokenColors {
    /// From red to green, numbers of the 256-colour palette.
    static let palette = [160, 166, 208, 215, 227, 114, 71]

    /// The text in the colour of its probability: entry ⌊7·p³⌋ of the palette.
    public static func colored(_ text: String, probability: Double) -> String {
        let position = 7 * probability * probability * probability
        let index = position > 0 ? Int(min(position, Double(palette.count - 1))) : 0
        return "\u{1b}[38;5;\(palette[index])m" + harmless(text) + "\u{1b}[0m"
    }

    /// The text inverse below a probability of 0.33, underlined below 0.66, else dim.
    public static func styled(_ text: String, probability: Double) -> String {
        let style = probability < 0.33 ? 7 : probability < 0.66 ? 4 : 2
        return "\u{1b}[\(style)m" + harmless(text) + "\u{1b}[0m"
    }

    /// A segment's text with each word in its colour; as it is where there are no words.
    public static func colored(_ segment: TranscriptSegment) -> String {
        guard let words = segment.words, !words.isEmpty else { return harmless(segment.text) }
        return words.map { colored($0.word, probability: $0.probability) }.joined()
    }

    private static func harmless(_ text: String) -> String { text.replacingControlCharacters(except: ["\t", "\n"]) }
}
