import EngineBasics
import EngineTranscripts
import EngineVocabulary

/// A word of the text with its signs, or a character of a script without blanks.
struct ScriptUnit: Hashable, Sendable {
    /// With the blank or line break before it.
    let text: String
    /// What is compared; empty for signs.
    let letters: [Character]
    let spokenLength: Int
    let passage: Int
    /// Counted over all passages.
    let sentence: Int
    /// Whether it may well not be said: a `[note]`, or a speaker's name before a colon.
    let isOptional: Bool

    /// As a sentence begins, for which models expect a capital letter.
    var capitalized: String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }) else { return text }
        return text[..<first] + text[first].uppercased() + text[text.index(after: first)...]
    }

    static func units(of script: AlignmentScript) -> [ScriptUnit] {
        var units: [ScriptUnit] = []
        var sentence = 0
        for (number, passage) in script.passages.enumerated() {
            var isFirst = true
            for line in passage.text.split(whereSeparator: \.isNewline) {
                let optional = optionalPlaces(in: line)
                for (index, unit) in SubtitleUnit.units(of: String(line)).enumerated() {
                    let blank = isFirst ? " " : index == 0 ? "\n" : unit.hasBlank ? " " : ""
                    isFirst = false
                    let letters = NormalizedText.plainLetters(unit.text)
                    units.append(
                        ScriptUnit(
                            text: blank + unit.text, letters: letters,
                            spokenLength: SpokenLength.of(unit.text, letters: letters), passage: number,
                            sentence: sentence,
                            isOptional: letters.isEmpty || optional.contains { $0.overlaps(unit.place) }))
                    if unit.mayEndSentence { sentence += 1 }
                }
            }
            sentence += 1
        }
        return units
    }

    /// The ranges of visible scalars in a line that belong to notes in brackets, and to the name of a speaker.
    private static func optionalPlaces(in line: Substring) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var position = 0
        var open: Int?
        var name: Int? = 0
        var words = 1
        var last: Unicode.Scalar?
        for scalar in line.unicodeScalars {
            if WhiteSpace.contains(scalar) {
                if last == ":", let start = name, position > start, words <= maxNameWords {
                    places.append(start..<position)
                    name = nil
                }
                if let last, !WhiteSpace.contains(last), position > 0 { words += 1 }
                last = scalar
                continue
            }
            if scalar == "[" { open = position }
            position += 1
            if scalar == "]", let start = open {
                places.append(start..<position)
                open = nil
            }
            if position == 1, !scalar.properties.isUppercase { name = nil }
            if last == ":" { name = nil }
            last = scalar
        }
        return places
    }

    private static let maxNameWords = 3
}
