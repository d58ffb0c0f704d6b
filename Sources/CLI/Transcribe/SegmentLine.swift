import WhisperEngine

/// A segment as it is printed on standard output.
struct SegmentLine {
    var showsTimestamps: Bool
    /// Colors words by their probability.
    var colorsWords: Bool

    /// Returns `[00:00.000 --> 00:03.200]  text` with a line feed; a speaker is named before the text: `[speaker 1] text`.
    func text(of segment: TranscriptSegment) -> TerminalText {
        let text =
            colorsWords ? TokenColors.colored(trimmed(segment)) : TerminalText(line: WhiteSpace.strip(segment.text))
        let line: TerminalText = "\(SpeakerLabel.prefix(segment))\(text)\n"
        return showsTimestamps ? "\(Timestamp.span(from: segment.start, to: segment.end))  \(line)" : line
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
