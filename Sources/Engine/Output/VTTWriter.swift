/// `.vtt`: cues without numbers, `MM:SS.mmm` and hours from one hour on.
public struct VTTWriter: TranscriptWriter {
    public let options: SubtitleOptions

    public init(options: SubtitleOptions = SubtitleOptions()) {
        self.options = options
    }

    public func text(of transcript: Transcript) -> String {
        var lines = "WEBVTT\n\n"
        for cue in SubtitleShaper(options: options).cues(of: transcript) {
            lines += "\(cue.start.vtt) --> \(cue.end.vtt)\n" + cue.text + "\n\n"
        }
        return lines
    }
}
