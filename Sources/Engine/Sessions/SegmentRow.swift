import EngineAudio
import EngineBasics
import EngineTranscripts

/// A final as stored in the database.
struct SegmentRow: Hashable {
    let id: Int
    let utterance: Int
    /// Samples on the session clock.
    let start: Int
    let end: Int
    let text: String
    let language: String?
    /// See `StoredWords`.
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
        words = StoredWords.encode(segment.words ?? [])
    }

    /// Converts seconds to samples; `nil` for a time that is negative, not finite or beyond the exact range of a
    /// `Double`.
    static func sample(_ seconds: Double) -> Int? {
        let sample = (seconds * Double(AudioChunk.sampleRate)).rounded()
        return sample >= 0 && sample <= 0x1p53 ? Int(sample) : nil
    }
}

/// The words of a stored final: a JSON array of objects `{"word", "start", "end", "probability", "speaker"}`; without the
/// speaker if speakers were not identified, as in stores of versions that did not know about them.
enum StoredWords {
    static func encode(_ words: [TranscriptWord]) -> String {
        JSONText.array(
            words.map { word in
                JSONText.object(
                    [
                        ("word", JSONText.string(word.word)), ("start", number(word.start)), ("end", number(word.end)),
                        ("probability", number(word.probability)),
                    ] + (word.speaker.map { [("speaker", JSONText.string($0))] } ?? []))
            })
    }

    /// Returns `nil` for an empty array and for any other text.
    static func decode(_ text: String) -> [TranscriptWord]? {
        guard case .array(let elements)? = try? JSONValue(Array(text.utf8), depth: 2, members: text.utf8.count)
        else { return nil }
        var words: [TranscriptWord] = []
        for element in elements {
            guard let word = element["word"]?.string, let start = number(element["start"]),
                let end = number(element["end"]), let probability = number(element["probability"])
            else { return nil }
            words.append(
                TranscriptWord(
                    word: word, start: start, end: end, probability: probability, speaker: element["speaker"]?.string))
        }
        return words.isEmpty ? nil : words
    }

    /// JSON has no numbers that are not finite.
    private static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

    private static func number(_ value: JSONValue?) -> Double? {
        switch value {
        case .null?: .nan
        case .number(let text)?: Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }
}
