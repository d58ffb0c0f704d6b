import WhisperEngine

extension StoredSession {
    /// `2026-03-01 12:00:05` in UTC; a malformed time is shown quoted.
    var startedText: String {
        guard let time = WallTime(created) else { return ShellQuoting.quoted(created) }
        let text = time.description
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }

    var lengthText: String { Timestamp.clock(seconds) }

    /// An open session is being recorded now: opening the store recovers all others.
    var stateText: String { state == .open ? "recording" : state.rawValue }

    /// The length in seconds.
    var seconds: Double { AudioChunk.seconds(of: nextSample) }

    /// The session as a transcript with one segment per utterance and speaker.
    func transcript(of finals: [TranscriptSegment]) -> Transcript {
        let segments = finals.joinedByUtterance()
        return Transcript(
            text: segments.map(\.text).joined(),
            language: language ?? finals.lazy.compactMap(\.language).first ?? "en", duration: seconds,
            segments: segments)
    }
}

extension [TranscriptSegment] {
    /// One segment per utterance and speaker: readers want sentences, not the portions in which they became final.
    func joinedByUtterance() -> [TranscriptSegment] {
        var segments: [TranscriptSegment] = []
        for final in self {
            guard let last = segments.last, last.utterance == final.utterance, last.speaker == final.speaker else {
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
