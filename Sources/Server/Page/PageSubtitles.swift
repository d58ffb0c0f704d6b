import WhisperEngine

/// Subtitles and paragraphs of a transcript as the page has it: corrected by the user, or spoken into the microphone. They
/// have the same shape as those of a recording.
enum PageSubtitles {
    /// Bytes of a transcript: a day of speech.
    static let limit = 32 << 20

    /// - Parameter body: `{language, segments: [{start, end, speaker, words: [[word, start, end]]}], speech: [[start, end]]}`;
    ///   a word begins with the blank before it, and `speaker` and `speech` may be missing.
    /// - Throws: 400 for another format than `srt`, `vtt` and `md`, or another body.
    static func response(to request: Request) throws(HTTPError) -> Response {
        guard let format = request.head.queryValue("format").flatMap({ ResponseFormat(rawValue: $0) }),
            [.srt, .vtt, .md].contains(format)
        else { throw .invalid("format", "The format must be srt, vtt or md.") }
        guard case .bytes(let bytes) = request.body,
            let value = try? JSONValue(bytes, depth: 6, members: bytes.count), let transcript = transcript(value)
        else { throw .invalid("segments", "The transcript is not complete.") }
        let text =
            switch format {
            case .srt: SubtitleText.srt(transcript, task: .transcribe)
            case .vtt: SubtitleText.vtt(transcript, task: .transcribe)
            default: MarkdownWriter().text(of: transcript)
            }
        return .text(text, type: format.contentType)
    }

    private static func transcript(_ value: JSONValue) -> Transcript? {
        guard case .array(let elements)? = value["segments"] else { return nil }
        var segments: [TranscriptSegment] = []
        for element in elements {
            guard let segment = segment(element, id: segments.count) else { return nil }
            segments.append(segment)
        }
        var transcript = Transcript(
            text: segments.map(\.text).joined(), language: value["language"]?.string ?? "",
            duration: segments.last?.end ?? 0, segments: segments)
        if case .array(let spans)? = value["speech"] { transcript.speech = spans.compactMap(span) }
        return transcript
    }

    private static func segment(_ value: JSONValue, id: Int) -> TranscriptSegment? {
        guard let start = seconds(value["start"]), let end = seconds(value["end"]), start <= end,
            case .array(let elements)? = value["words"]
        else { return nil }
        let speaker = value["speaker"]?.string
        var words: [TranscriptWord] = []
        for element in elements {
            guard case .array(let parts) = element, parts.count == 3, let text = parts[0].string,
                let start = seconds(parts[1]), let end = seconds(parts[2]), start <= end
            else { return nil }
            words.append(TranscriptWord(word: text, start: start, end: end, probability: 1, speaker: speaker))
        }
        var segment = TranscriptSegment(
            id: id, start: start, end: end, text: words.map(\.word).joined(), tokens: [], avgLogprob: 0, words: words)
        segment.speaker = speaker
        return segment
    }

    private static func span(_ value: JSONValue) -> TranscriptSpan? {
        guard case .array(let parts) = value, parts.count == 2, let start = seconds(parts[0]),
            let end = seconds(parts[1]), start <= end
        else { return nil }
        return TranscriptSpan(start: start, end: end)
    }

    private static func seconds(_ value: JSONValue?) -> Double? {
        guard case .number(let text)? = value, let seconds = FormFields.number(text), (0...1e7).contains(seconds)
        else { return nil }
        return seconds
    }
}
