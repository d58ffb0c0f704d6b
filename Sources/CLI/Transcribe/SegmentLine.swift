import WhisperEngine

/// A segment as it is printed on standard output.
struct SegmentLine {
    var showsTimestamps: Bool
    /// Colors words by their probability.
    var colorsWords: Bool
    /// Replaces control characters: text from a model must not control the terminal.
    var forTerminal: Bool

    /// Returns `[00:00.000 --> 00:03.200]  text` with a line feed.
    func text(of segment: TranscriptSegment) -> String {
        let words = colorsWords ? TokenColors.colored(trimmed(segment)) : Self.trimmed(segment.text)
        let text = forTerminal && !colorsWords ? Self.harmless(words) : words
        guard showsTimestamps else { return text + "\n" }
        return "\(Timestamp.span(from: segment.start, to: segment.end))  \(text)\n"
    }

    /// Replaces control characters except tabs by U+FFFD.
    static func harmless(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 && scalar != "\t" || (0x7f..<0xa0).contains(scalar.value)
            result.append(isControl ? "\u{fffd}" : scalar)
        }
        return String(result)
    }

    private func trimmed(_ segment: TranscriptSegment) -> TranscriptSegment {
        var segment = segment
        segment.text = Self.trimmed(segment.text)
        if var words = segment.words, !words.isEmpty {
            words[0].word = String(words[0].word.drop(while: \.isWhitespace))
            segment.words = words
        }
        return segment
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text.drop(while: \.isWhitespace))
    }
}
