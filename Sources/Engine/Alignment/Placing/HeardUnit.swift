import EngineTranscripts
import EngineVocabulary

/// A word that was heard, or a character of a script without blanks, from where its speech begins to where it ends.
struct HeardUnit: Hashable, Sendable {
    /// With the blank before it.
    let text: String
    let letters: [Character]
    let spokenLength: Int
    var start: Double
    var end: Double

    /// Seconds between words from which on they may belong to different sentences.
    private static let pause = 0.3

    /// Whether there is a pause before a word.
    func follows(_ other: HeardUnit) -> Bool { start - other.end >= Self.pause }

    static func units(of transcript: Transcript) -> [HeardUnit] {
        SpokenUnits(transcript).runs.flatMap(\.units).compactMap { unit -> HeardUnit? in
            let letters = NormalizedText.plainLetters(unit.text)
            if letters.isEmpty { return nil }
            return HeardUnit(
                text: (unit.hasBlank ? " " : "") + unit.text, letters: letters,
                spokenLength: SpokenLength.of(unit.text, letters: letters), start: unit.start, end: unit.end)
        }
    }
}
