import WhisperEngine

/// A segment as it is printed on standard output.
struct SegmentLine {
    var showsTimestamps: Bool
    /// Whether times always have hours, as whisper.cpp's.
    var showsHours = false
    /// Colors words by their probability.
    var colorsWords: Bool
    /// Gives each speaker's name a color.
    var colorsSpeakers = false

    /// Returns `[00:00.000 --> 00:03.200]  text` with a line feed; a speaker is named before the text: `[speaker 1] text`.
    ///
    /// - Parameter speaker: the number of the segment's speaker, for the color.
    func text(of segment: TranscriptSegment, speaker: Int = 0) -> TerminalText {
        let text =
            colorsWords ? TokenColors.colored(trimmed(segment)) : TerminalText(line: WhiteSpace.strip(segment.text))
        let name = TerminalText(name: SpeakerLabel.prefix(segment))
        let label: TerminalText =
            colorsSpeakers && !name.isEmpty
            ? "\u{1b}[38;5;\(SpeakerColors.color(of: speaker))m\(name)\u{1b}[0m" : "\(name)"
        let line: TerminalText = "\(label)\(text)\n"
        guard showsTimestamps else { return line }
        let span =
            showsHours
            ? "[\(Self.clock(segment.start)) --> \(Self.clock(segment.end))]"
            : Timestamp.span(from: segment.start, to: segment.end)
        return "\(span)  \(line)"
    }

    /// `01:02:03.456`
    private static func clock(_ seconds: Double) -> String {
        Timestamp(seconds: seconds).srt.replacing(",", with: ".")
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
