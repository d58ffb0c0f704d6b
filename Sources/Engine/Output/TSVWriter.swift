/// `.tsv`: start and end in milliseconds and the text, separated by tabs; tabs in the text become spaces.
public struct TSVWriter: TranscriptWriter {
    public init() {}

    public func text(of transcript: Transcript) -> String {
        var lines = "start\tend\ttext\n"
        for segment in transcript.segments {
            let start = Timestamp(seconds: segment.start).milliseconds
            let end = Timestamp(seconds: segment.end).milliseconds
            let text = OutputText.replacing("\t", with: " ", in: WhiteSpace.strip(segment.text))
            lines += "\(start)\t\(end)\t" + text + "\n"
        }
        return lines
    }
}
