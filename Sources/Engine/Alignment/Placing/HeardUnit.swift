import EngineTranscripts
import EngineVocabulary

/// A word that was heard, or a character of a script without blanks, from where its speech begins to where it ends.
struct HeardUnit: Hashable, Sendable {
    /// With the blank before it.
    let text: String
    let letters: [Character]
    var start: Double
    var end: Double

    static func units(of transcript: Transcript) -> [HeardUnit] {
        SpokenUnits(transcript).runs.flatMap(\.units).compactMap { unit in
            let letters = NormalizedText.plainLetters(unit.text)
            if letters.isEmpty { return nil }
            return HeardUnit(
                text: (unit.hasBlank ? " " : "") + unit.text, letters: letters, start: unit.start, end: unit.end)
        }
    }
}
