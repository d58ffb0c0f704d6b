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
        for cue in SubtitleShaper(options: options, markup: .webVTT).cues(of: transcript) {
            lines += "\(cue.start.vtt) --> \(cue.end.vtt)\n" + cue.text + "\n\n"
        }
        return lines
    }
}

/// `.ass`: Advanced SubStation Alpha, white with a black outline at the bottom of the picture. Speakers are named in brackets
/// and, for editors, in their own field.
package struct ASSWriter: TranscriptWriter {
    package let options: SubtitleOptions

    package init(options: SubtitleOptions = SubtitleOptions()) {
        self.options = options
    }

    /// The size is for a picture of 1920 × 1080, where 42 characters take about two thirds of the width; players scale it.
    private static let head = """
        [Script Info]
        ScriptType: v4.00+
        WrapStyle: 2
        ScaledBorderAndShadow: yes
        PlayResX: 1920
        PlayResY: 1080

        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
        Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, \
        MarginV, Encoding
        Style: Default,Arial,60,&H00FFFFFF,&H000000FF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,3,1,2,96,96,54,1

        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

        """

    package func text(of transcript: Transcript) -> String {
        var lines = Self.head
        for cue in SubtitleShaper(options: options, markup: .ass).cues(of: transcript) {
            let name = OutputText.replacing(",", with: " ", in: SpeakerLabel.name(cue.speaker))
            let text = cue.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: #"\N"#)
            lines += "Dialogue: 0,\(cue.start.ass),\(cue.end.ass),Default,\(name),0,0,0,,\(text)\n"
        }
        return lines
    }
}
