/// `.srt`: cues numbered from 1, `HH:MM:SS,mmm`.
public struct SRTWriter: TranscriptWriter {
    public let options: SubtitleOptions

    public init(options: SubtitleOptions = SubtitleOptions()) {
        self.options = options
    }

    public func text(of transcript: Transcript) -> String {
        var lines = ""
        for (index, cue) in SubtitleShaper(options: options).cues(of: transcript).enumerated() {
            lines += "\(index + 1)\n\(cue.start.srt) --> \(cue.end.srt)\n" + cue.text + "\n\n"
        }
        return lines
    }
}
