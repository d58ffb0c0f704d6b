/// `.csv`: start and end in milliseconds and the quoted text with its leading space, as whisper.cpp writes it.
public struct CSVWriter: TranscriptWriter {
    public init() {}

    public func text(of transcript: Transcript) -> String {
        var lines = "start,end,text\n"
        for segment in transcript.segments {
            let start = Timestamp(seconds: segment.start).milliseconds
            let end = Timestamp(seconds: segment.end).milliseconds
            lines += "\(start),\(end),\"" + OutputText.replacing("\"", with: "\"\"", in: segment.text) + "\"\n"
        }
        return lines
    }
}
