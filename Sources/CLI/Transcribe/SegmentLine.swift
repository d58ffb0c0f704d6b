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
        let words = colorsWords ? TokenColors.colored(trimmed(segment)) : WhiteSpace.strip(segment.text)
        let text = forTerminal && !colorsWords ? words.replacingControlCharacters(except: ["\t"]) : words
        guard showsTimestamps else { return text + "\n" }
        return "\(Timestamp.span(from: segment.start, to: segment.end))  \(text)\n"
    }

    private func trimmed(_ segment: TranscriptSegment) -> TranscriptSegment {
        var segment = segment
        segment.text = WhiteSpace.strip(segment.text)
        if var words = segment.words, !words.isEmpty {
            words[0].word = String(words[0].word.drop(while: \.isWhitespace))
            segment.words = words
        }
        return segment
    }
}
