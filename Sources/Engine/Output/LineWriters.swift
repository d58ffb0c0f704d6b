/// `.txt`: one line per segment without surrounding white space. An empty segment is an empty line.
public struct TextWriter: TranscriptWriter {
    public init() {}

    public func text(of transcript: Transcript) -> String {
        transcript.segments.map { WhiteSpace.strip($0.text) + "\n" }.joined()
    }
}

/// `.tsv`: start and end in milliseconds and the text, separated by tabs. Tabs in the text become spaces.
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

/// `.csv`: start and end in milliseconds and the quoted text with its leading space, like whisper.cpp.
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

/// `.lrc`: `[MM:SS.hh]` and the text of the segment with its leading space, like whisper.cpp.
///
/// Line breaks in the text become spaces, because players ignore a line without a time.
public struct LRCWriter: TranscriptWriter {
    public init() {}

    public func text(of transcript: Transcript) -> String {
        var lines = "[by:whisper-local]\n"
        for segment in transcript.segments {
            let oneLine = segment.text.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }
            var text = ""
            text.unicodeScalars.append(contentsOf: oneLine)
            lines += "[" + Timestamp(seconds: segment.start).lrc + "]" + text + "\n"
        }
        return lines
    }
}
