/// `.srt`: numbered cues with times as `HH:MM:SS,mmm`.
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

/// `.vtt`: cues without numbers and with times as `MM:SS.mmm`, from one hour on `HH:MM:SS.mmm`.
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
