import WhisperEngine

/// The segments of a transcript in `diarized_json` and its streams: numbered, with their speakers.
struct DiarizedSegments {
    private var count = 0

    /// The next segment of the transcript, which must contain text.
    mutating func next(_ segment: TranscriptSegment, speakers: SpeakerNames) -> (id: String, json: String) {
        count += 1
        let id = "seg_" + Digits.decimal(count, width: 3)
        let json = JSONText.object([
            ("type", JSONText.string("transcript.text.segment")), ("id", JSONText.string(id)),
            ("start", JSONText.number(segment.start)), ("end", JSONText.number(segment.end)),
            ("text", JSONText.string(WhiteSpace.strip(segment.text))),
            // There may be no speaker where the model found text.
            ("speaker", JSONText.string(segment.speaker ?? speakers.all[0])),
        ])
        return (id, json)
    }
}
