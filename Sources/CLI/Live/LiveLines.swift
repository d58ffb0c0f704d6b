package import WhisperEngine

/// A live transcript for a file or a pipe: one line per utterance and speaker, once it is over.
package struct LiveLines: Sendable {
    private let line: SegmentLine
    private var speakers = SpeakerColors()
    /// The finals of the current utterance and speaker.
    private var finals: [TranscriptSegment] = []

    package init(showsTimestamps: Bool, colorsSpeakers: Bool = false) {
        line = SegmentLine(showsTimestamps: showsTimestamps, colorsWords: false, colorsSpeakers: colorsSpeakers)
    }

    /// The line that this update completes; usually empty.
    package mutating func lines(for update: TranscriptUpdate) -> TerminalText {
        switch update {
        case .final(let segment):
            let isSame = finals.last?.utterance == segment.utterance && finals.last?.speaker == segment.speaker
            let before = isSame ? "" : finish()
            finals.append(segment)
            return before
        case .volatile(let segment?):
            return finals.last?.utterance == segment.utterance ? "" : finish()
        case .status(let status):
            // Finals overtake statuses in the queue, so this status may be older than the last final.
            guard let last = finals.last, !status.speech, status.decoded >= last.end else { return "" }
            return finish()
        case .volatile(nil), .progress, .language, .event, .gap:
            return ""
        }
    }

    /// The line of the unfinished utterance, if there is one.
    package mutating func finish() -> TerminalText {
        guard let first = finals.first, let last = finals.last else { return "" }
        var whole = first
        whole.text = OutputText.onOneLine(finals.map(\.text).joined())
        whole.end = last.end
        finals = []
        return line.text(of: whole, speaker: speakers.number(of: whole.speaker))
    }
}
