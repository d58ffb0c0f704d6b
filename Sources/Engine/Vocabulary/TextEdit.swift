import EngineBasics

/// A part of a text and what is written in its place.
package struct TextEdit: Equatable, Sendable {
    /// Characters of the text.
    package var range: Range<Int>
    package var text: String
}

/// How characters of a text are compared and what is between its words.
enum TextRules {
    /// Apostrophes are alike.
    static func plain(_ character: Character) -> Character {
        switch character {
        case "’", "‘", "ʼ", "`": "'"
        default: character
        }
    }

    static func folded(_ character: Character) -> Character { TextPattern.folded(plain(character)) }

    /// White space or a hyphen, for which a blank in a rule stands.
    static func isBlank(_ character: Character) -> Bool {
        character.isWhitespace || ["-", "\u{2010}", "\u{2011}"].contains(character)
    }

    static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

    /// Whether no word goes on at a place of a text: not between letters and digits, except in scripts without blanks.
    static func isBoundary(_ text: [Character], at place: Int) -> Bool {
        guard place > 0, place < text.count, isWord(text[place - 1]), isWord(text[place]) else { return true }
        return [text[place - 1], text[place]].contains { character in
            character.unicodeScalars.contains { WordBoundary.isWithoutBlanks($0) }
        }
    }

    /// Where a sentence begins: after its end, or in front of everything.
    static func isSentenceStart(_ text: [Character], at place: Int) -> Bool {
        let before = text[..<place].last { !$0.isWhitespace && !"\"'“‘«([¿¡".contains($0) }
        return before.map { ".!?…。！？".contains($0) } ?? true
    }
}
