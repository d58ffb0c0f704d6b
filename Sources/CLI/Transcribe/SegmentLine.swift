import WhisperEngine

/// A segment as it is printed on standard output.
struct SegmentLine {
    var showsTimestamps: Bool
    /// Words in the colours of their probability.
    var colorsWords: Bool
    /// Control characters are replaced: words of a model must not drive the terminal.
    var forTerminal: Bool

    /// `[00:00.000 --> 00:03.200]  text` with its line feed.
    func text(of segment: TranscriptSegment) -> String {
        let words = colorsWords ? TokenColors.colored(trimmed(segment)) : Self.trimmed(segment.text)
        let text = forTerminal && !colorsWords ? Self.harmless(words) : words
        guard showsTimestamps else { return text + "\n" }
        return "\(Timestamp.span(from: segment.start, to: segment.end))  \(text)\n"
    }

    /// U+FFFD for control characters but the tabulator.
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
