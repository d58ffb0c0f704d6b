/// `.txt`: a line per segment without the white space around it; empty segments are empty lines.
public struct TextWriter: TranscriptWriter {
    public init() {}

    public func text(of transcript: Transcript) -> String {
        transcript.segments.map { WhiteSpace.strip($0.text) + "\n" }.joined()
    }
}
