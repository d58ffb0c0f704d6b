import EngineBasics

/// `.txt`: one line per segment without surrounding white space, after its speaker in brackets. An empty segment is an
/// empty line. Or paragraphs with an empty line between them, each new speaker in brackets.
package struct TextWriter: TranscriptWriter {
    let hasParagraphs: Bool

    package init(hasParagraphs: Bool = false) { self.hasParagraphs = hasParagraphs }

    package func text(of transcript: Transcript) -> String {
        if hasParagraphs {
            return Paragraph.turns(of: transcript).map { paragraph, isNewSpeaker in
                (isNewSpeaker ? SpeakerLabel.prefix(paragraph.speaker) : "") + paragraph.text + "\n"
            }.joined(separator: "\n")
        }
        return transcript.segments.map { SpeakerLabel.prefix($0) + WhiteSpace.strip($0.text) + "\n" }.joined()
    }
}

/// `.tsv`: start and end in milliseconds, the speaker if any segment has one, and the text, separated by tabs. Tabs and
/// line breaks in the text become spaces.
package struct TSVWriter: TranscriptWriter {
    package func text(of transcript: Transcript) -> String {
        let hasSpeakers = transcript.hasSpeakers
        var lines = "start\tend\t\(hasSpeakers ? "speaker\t" : "")text\n"
        for segment in transcript.segments {
            let start = Timestamp(seconds: segment.start).milliseconds
            let end = Timestamp(seconds: segment.end).milliseconds
            let text = OutputText.replacing("\t", with: " ", in: WhiteSpace.strip(segment.text))
            let speaker = hasSpeakers ? SpeakerLabel.name(segment) + "\t" : ""
            lines += "\(start)\t\(end)\t" + speaker + OutputText.onOneLine(text) + "\n"
        }
        return lines
    }
}

/// `.csv`: start and end in milliseconds, the quoted speaker if any segment has one, and the quoted text: whisper.cpp's
/// layout, but without its leading space.
package struct CSVWriter: TranscriptWriter {
    package init() {}

    package func text(of transcript: Transcript) -> String {
        let hasSpeakers = transcript.hasSpeakers
        var lines = "start,end,\(hasSpeakers ? "speaker," : "")text\n"
        for segment in transcript.segments {
            let start = Timestamp(seconds: segment.start).milliseconds
            let end = Timestamp(seconds: segment.end).milliseconds
            let speaker = hasSpeakers ? quoted(SpeakerLabel.name(segment)) + "," : ""
            lines += "\(start),\(end)," + speaker + quoted(WhiteSpace.strip(segment.text)) + "\n"
        }
        return lines
    }

    private func quoted(_ text: String) -> String {
        "\"" + OutputText.replacing("\"", with: "\"\"", in: text) + "\""
    }
}

/// `.lrc`: `[MM:SS.hh]` and the text of a line of subtitles, or in openai-whisper's style of a segment, with a leading space
/// like whisper.cpp's, after its speaker in brackets.
///
/// Line breaks in the text become spaces, because players ignore a line without a time.
package struct LRCWriter: TranscriptWriter {
    package let options: SubtitleOptions

    package init(options: SubtitleOptions = SubtitleOptions()) {
        self.options = options
    }

    package func text(of transcript: Transcript) -> String {
        var lines = "[by:whisper-local]\n"
        func add(_ text: String, _ speaker: String?, at start: Timestamp) {
            let name = speaker == nil ? "" : " [" + SpeakerLabel.name(speaker) + "]"
            lines += "[" + start.lrc + "]" + name + OutputText.onOneLine(text) + "\n"
        }
        guard options.chosenStyle != .whisper else {
            for segment in transcript.segments {
                add(segment.text, segment.speaker, at: Timestamp(seconds: segment.start))
            }
            return lines
        }
        var options = options
        options.maxLineCount = options.maxLineCount ?? 1
        for cue in ReadableCues(options).cues(of: transcript, indent: { DisplayWidth.columns(of: $0) + 3 }) {
            let text = cue.lines.map { $0.map(\.text).joined() }.joined(separator: " ")
            add(" " + text, cue.speaker, at: Timestamp(seconds: cue.start))
        }
        return lines
    }
}
