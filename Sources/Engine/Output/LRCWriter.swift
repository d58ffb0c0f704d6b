/// `.lrc`: `[MM:SS.hh]` and the segment's text with its leading space, as whisper.cpp writes it.
///
/// A line break inside a text becomes a space: a line without a time is nothing to a player.
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
