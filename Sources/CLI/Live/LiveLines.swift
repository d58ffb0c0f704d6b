package import WhisperEngine

/// A live transcript for a file or a pipe: one line for each utterance, when it is over.
package struct LiveLines: Sendable {
    package let showsTimestamps: Bool
    private var open: [TranscriptSegment] = []

    package init(showsTimestamps: Bool) { self.showsTimestamps = showsTimestamps }

    /// The lines that are complete with this; none mostly.
    package mutating func lines(for update: TranscriptUpdate) -> String {
        switch update {
        case .final(let segment):
            let before = open.last?.utterance == segment.utterance ? "" : finish()
            open.append(segment)
            return before
        case .volatile(let segment?):
            return open.last?.utterance == segment.utterance ? "" : finish()
        case .status(let status):
            // A status may be older than the finals before it, which waited less.
            guard let last = open.last, !status.speech, status.decoded >= last.end else { return "" }
            return finish()
        case .volatile(nil), .progress, .language, .event, .gap:
            return ""
        }
    }

    /// The utterance that is open still.
    package mutating func finish() -> String {
        guard let first = open.first, let last = open.last else { return "" }
        var whole = first
        whole.text = open.map(\.text).joined()
        whole.end = last.end
        open = []
        return SegmentLine(showsTimestamps: showsTimestamps, colorsWords: false, forTerminal: true).text(of: whole)
    }
}
