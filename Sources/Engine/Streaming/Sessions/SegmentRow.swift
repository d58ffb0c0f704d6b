/// A final as it stands in the database.
struct SegmentRow: Hashable {
    let id: Int
    let utterance: Int
    /// Samples on the session's clock.
    let start: Int
    let end: Int
    let text: String
    let language: String?
    /// A JSON array of `TranscriptWord`.
    let words: String

    init(_ segment: TranscriptSegment) throws(JournalError) {
        guard let start = Self.sample(segment.start), let end = Self.sample(segment.end), start <= end,
            segment.id >= 0, segment.utterance >= 0, segment.utterance < 1 << 40
        else { throw .badTime(id: segment.id) }
        id = segment.id
        utterance = segment.utterance
        (self.start, self.end) = (start, end)
        text = segment.text
        language = segment.language
        words = WordList.text(of: segment.words ?? [])
    }

    /// `nil` for what is no time: negative, not finite, or beyond the exact range of a `Double`.
    static func sample(_ seconds: Double) -> Int? {
        let sample = (seconds * Double(AudioChunk.sampleRate)).rounded()
        return sample >= 0 && sample <= 0x1p53 ? Int(sample) : nil
    }

    static func seconds(_ sample: Int) -> Double { Double(sample) / Double(AudioChunk.sampleRate) }
}
