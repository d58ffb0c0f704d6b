/// `.srt`: numbered cues with times as `HH:MM:SS,mmm`; speakers are named in brackets.
package struct SRTWriter: TranscriptWriter {
    package let options: SubtitleOptions

    package init(options: SubtitleOptions = SubtitleOptions()) {
        self.options = options
    }

    package func text(of transcript: Transcript) -> String {
        var lines = ""
        for (index, cue) in SubtitleShaper(options: options).cues(of: transcript).enumerated() {
            lines += "\(index + 1)\n\(cue.start.srt) --> \(cue.end.srt)\n" + cue.text + "\n\n"
        }
        return lines
    }
}

/// `.vtt`: cues without numbers and with times as `MM:SS.mmm`, from one hour on `HH:MM:SS.mmm`; speakers are named by
/// voice tags, and `&`, `<` and `>` are escaped.
package struct VTTWriter: TranscriptWriter {
    package let options: SubtitleOptions

    package init(options: SubtitleOptions = SubtitleOptions()) {
        self.options = options
    }

    package func text(of transcript: Transcript) -> String {
        var lines = "WEBVTT\n\n"
        for cue in SubtitleShaper(options: options, isWebVTT: true).cues(of: transcript) {
            lines += "\(cue.start.vtt) --> \(cue.end.vtt)\n" + cue.text + "\n\n"
        }
        return lines
    }
}
