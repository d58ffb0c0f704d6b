import WhisperEngine

/// The formats of whisper-asr-webservice. All but JSON are written segment by segment.
enum ASROutput: String, Sendable {
    case txt, vtt, srt, tsv, json

    /// What stands before the first segment.
    var head: String {
        switch self {
        case .vtt: "WEBVTT\n\n"
        case .tsv: "start\tend\ttext\n"
        case .txt, .srt, .json: ""
        }
    }

    /// A segment with text, counted from 0.
    func text(of segment: TranscriptSegment, index: Int) -> String {
        switch self {
        case .txt: return labelled(segment) + "\n"
        case .vtt: return cues(of: segment).map { "\($0.start.vtt) --> \($0.end.vtt)\n\($0.text)\n\n" }.joined()
        case .srt:
            return cues(of: segment).map { "\(index + 1)\n\($0.start.srt) --> \($0.end.srt)\n\($0.text)\n\n" }.joined()
        case .tsv:
            let (start, end) = (Timestamp(seconds: segment.start), Timestamp(seconds: segment.end))
            let text = OutputText.onOneLine(labelled(segment)).unicodeScalars.map { $0 == "\t" ? " " : $0 }
            return "\(start.milliseconds)\t\(end.milliseconds)\t\(String(String.UnicodeScalarView(text)))\n"
        case .json: return ""
        }
    }

    private func labelled(_ segment: TranscriptSegment) -> String {
        SpeakerLabel.prefix(segment) + WhiteSpace.strip(segment.text)
    }

    private func cues(of segment: TranscriptSegment) -> [SubtitleCue] {
        let transcript = Transcript(
            text: segment.text, language: segment.language ?? "", duration: segment.end, segments: [segment])
        return SubtitleShaper(isWebVTT: self == .vtt).cues(of: transcript.withPlainCues)
    }

    /// The whole transcript as JSON, with the members of faster-whisper's segments.
    static func json(_ transcript: Transcript) -> String {
        JSONText.object([
            ("language", JSONText.string(transcript.language)),
            ("segments", JSONText.array(transcript.spokenSegments.enumerated().map { member($1, id: $0) })),
            ("text", JSONText.string(transcript.text)),
        ])
    }

    private static func member(_ segment: TranscriptSegment, id: Int) -> String {
        let words = segment.words.map { words in
            JSONText.array(
                words.map { word in
                    JSONText.object([
                        ("start", JSONText.number(word.start)), ("end", JSONText.number(word.end)),
                        ("word", JSONText.string(word.word)), ("probability", JSONText.statistic(word.probability)),
                    ])
                })
        }
        let speaker = segment.speaker.map { [("speaker", JSONText.string($0))] } ?? []
        return JSONText.object(JSONText.members(of: segment, id: id) + [("words", words ?? "null")] + speaker)
    }
}
