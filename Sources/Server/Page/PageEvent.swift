import WhisperEngine

/// The events of `/page/transcribe`: JSON objects with a `type`.
enum PageEvent {
    /// The recording has arrived, and waits for its turn.
    ///
    /// - Parameter duration: seconds; `nil` if the recording does not say.
    static func beginning(_ duration: Double?) -> String { progress(0, of: duration) }

    /// Final text, with the times of its words in seconds.
    static func segment(_ segment: TranscriptSegment) -> String {
        let words = (segment.words ?? []).map { word in
            JSONText.object([
                ("word", JSONText.string(word.word)), ("start", JSONText.number(word.start)),
                ("end", JSONText.number(word.end)), ("probability", JSONText.number(word.probability)),
            ])
        }
        let speaker = segment.speaker.map { [("speaker", JSONText.string($0))] } ?? []
        return JSONText.object(
            [
                ("type", "\"segment\""), ("id", String(segment.id)), ("start", JSONText.number(segment.start)),
                ("end", JSONText.number(segment.end)), ("text", JSONText.string(segment.text)),
                ("words", JSONText.array(words)),
            ] + speaker)
    }

    /// The event for an update other than a final; `nil` if the page does not show it.
    static func json(_ update: TranscriptUpdate) -> String? {
        switch update {
        case .volatile(let segment):
            JSONText.object([("type", "\"volatile\""), ("text", JSONText.string(segment?.text ?? ""))])
        case .progress(let position, let duration):
            progress(position, of: duration)
        case .language(let code, _, _):
            JSONText.object([("type", "\"language\""), ("code", JSONText.string(code))])
        case .final, .event, .status, .gap: nil
        }
    }

    /// The last event of a recognition that succeeded.
    static func done(_ transcription: Transcription) -> String {
        let speech = transcription.transcript.speech.map { spans in
            JSONText.array(spans.map { JSONText.array([JSONText.number($0.start), JSONText.number($0.end)]) })
        }
        return JSONText.object(
            [
                ("type", "\"done\""), ("language", JSONText.string(transcription.transcript.language)),
                ("duration", JSONText.number(transcription.transcript.duration)),
                ("model", JSONText.string(transcription.model)), ("seconds", JSONText.number(transcription.seconds)),
            ] + (speech.map { [("speech", $0)] } ?? []))
    }

    /// The last event of a recognition that failed.
    static func failure(_ error: HTTPError) -> String {
        JSONText.object(
            [("type", "\"error\""), ("status", String(error.status)), ("message", JSONText.string(error.message))]
                + (error.param.map { [("param", JSONText.string($0))] } ?? []))
    }

    private static func progress(_ position: Double, of duration: Double?) -> String {
        JSONText.object([
            ("type", "\"progress\""), ("position", JSONText.number(position)),
            ("duration", duration.map { JSONText.number($0) } ?? "null"),
        ])
    }
}
