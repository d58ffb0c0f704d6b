import WhisperEngine

/// A session's text as a transcript: its finals, put together by utterance.
///
/// How many finals an utterance came in says how soon they could be shown; readers of the text want sentences.
enum SessionTranscript {
    static func transcript(of session: StoredSession, finals: [TranscriptSegment]) -> Transcript {
        let segments = joined(finals)
        return Transcript(
            text: segments.map(\.text).joined(),
            language: session.language ?? finals.lazy.compactMap(\.language).first ?? "en",
            duration: Double(session.nextSample) / Double(AudioChunk.sampleRate), segments: segments)
    }

    /// One segment for the finals of an utterance.
    static func joined(_ finals: [TranscriptSegment]) -> [TranscriptSegment] {
        var segments: [TranscriptSegment] = []
        for final in finals {
            guard let last = segments.last, last.utterance == final.utterance else {
                var segment = final
                segment.id = segments.count
                segments.append(segment)
                continue
            }
            let index = segments.count - 1
            segments[index].text += final.text
            segments[index].end = final.end
            if let words = final.words { segments[index].words = (last.words ?? []) + words }
        }
        return segments
    }
}
