import EngineBasics

/// What a line never divides: a word with its signs, or a character of a script without blanks.
package struct SubtitleUnit: Hashable, Sendable {
    package let text: String
    /// Whether a blank separates it from the unit before it on a line.
    package private(set) var hasBlank: Bool
    /// What a break before it costs for its script.
    let breakCost: Double
    /// Its visible part within that of its segment, as a range of Unicode scalars.
    package let place: Range<Int>
    let columns: Int
    let characters: Int
    package var start = 0.0
    package var end = 0.0

    /// The first and the last run of letters, in lower case; the last is empty if a sign or digit follows it.
    let firstWord: String
    let lastWord: String
    let letters: Int
    let isCapitalized: Bool
    let startsInLowerCase: Bool
    let hasDigits: Bool
    /// Whether a sign at its end separates it from what follows.
    let endsClause: Bool
    /// Whether it ends a sentence if what follows does not begin in lower case.
    package let mayEndSentence: Bool

    private static let sentenceEnds: Set<Unicode.Scalar> = Set(".!?…。！？؟．।".unicodeScalars)
    private static let clauseEnds: Set<Unicode.Scalar> = Set(",;:–—-，、；：،؛・".unicodeScalars)
    private static let closers: Set<Unicode.Scalar> = Set(")]}»”\"'’」』）］】》〉".unicodeScalars)

    fileprivate init(_ text: String, hasBlank: Bool, breakCost: Double, place: Range<Int>) {
        self.text = text
        self.hasBlank = hasBlank
        self.breakCost = breakCost
        self.place = place
        columns = DisplayWidth.columns(of: text)
        let scalars = Array(text.unicodeScalars)
        characters = scalars.count
        var runs: [String.UnicodeScalarView] = [.init()]
        for scalar in scalars {
            if scalar.properties.isAlphabetic {
                runs[runs.count - 1].append(scalar)
            } else if !runs[runs.count - 1].isEmpty, scalar.properties.generalCategory != .nonspacingMark {
                runs.append(.init())
            }
        }
        firstWord = String(runs.first ?? .init()).lowercased()
        lastWord = String(runs.last ?? .init()).lowercased()
        letters = runs.reduce(0) { $0 + $1.count }
        isCapitalized = scalars.first { $0.properties.isAlphabetic }?.properties.isUppercase ?? false
        startsInLowerCase = scalars.first { $0.properties.isAlphabetic }?.properties.isLowercase ?? false
        hasDigits = scalars.contains { $0.properties.numericType != nil && $0.value < 0x2e80 }
        let bare = scalars.lastIndex { !Self.closers.contains($0) && !WhiteSpace.contains($0) }
        let sign = bare.map { scalars[$0] }
        let isAbbreviated = sign == "." && Self.isAbbreviation(text: scalars, runs: runs)
        mayEndSentence = sign.map(Self.sentenceEnds.contains) ?? false && !isAbbreviated
        endsClause =
            mayEndSentence || sign.map(Self.clauseEnds.contains) ?? false
            || scalars.last.map { Self.closers.contains($0) && $0 != "'" && $0 != "’" } ?? false
    }

    /// Whether a final period belongs to an abbreviation, an initial or an ordinal number.
    private static func isAbbreviation(text: [Unicode.Scalar], runs: [String.UnicodeScalarView]) -> Bool {
        let words = runs.filter { !$0.isEmpty }
        guard let last = words.last, text.last == "." else { return false }
        if last.count == 1, last.allSatisfy(\.properties.isUppercase) { return true }
        return LeadingWords.abbreviations.contains(String(last).lowercased())
    }

    /// Follows the last unit of an earlier segment: none of a script without blanks is between them, either.
    mutating func joinText(after last: SubtitleUnit) {
        guard let end = last.text.unicodeScalars.last, let start = text.unicodeScalars.first else { return }
        hasBlank = hasBlank && !(Self.isWithoutBlanks(end) && Self.isWithoutBlanks(start))
    }

    /// Korean has blanks between its wide words, and Thai between sentences.
    private static func isWithoutBlanks(_ scalar: Unicode.Scalar) -> Bool {
        DisplayWidth.columns(of: String(scalar)) > 1
            && (!scalar.properties.isAlphabetic || WordBoundary.isWithoutBlanks(scalar))
    }

    /// The units of a text, in order and without times.
    package static func units(of text: String) -> [SubtitleUnit] {
        var current = ""
        var (hasBlank, breakCost, start, position) = (false, 0.0, 0, 0)
        var last: Character?
        var words: [Piece] = []
        func close() {
            if !current.isEmpty { words.append((current, hasBlank, breakCost, start..<position)) }
            current = ""
        }
        for character in text {
            if LineBreaking.isBlank(character) {
                close()
                last = nil
                continue
            }
            if let last, LineBreaking.isAllowed(between: last, character) {
                close()
                (hasBlank, breakCost, start) = (false, LineBreaking.cost(between: last, character), position)
            } else if last == nil {
                (hasBlank, breakCost, start) = (true, 0, position)
            }
            current.append(character)
            position += character.unicodeScalars.count
            last = character
        }
        close()
        return joined(words).map {
            SubtitleUnit($0.text, hasBlank: $0.hasBlank, breakCost: $0.breakCost, place: $0.place)
        }
    }

    private typealias Piece = (text: String, hasBlank: Bool, breakCost: Double, place: Range<Int>)

    /// Signs that stand alone go with the word before them, or that after them if they open something.
    private static func joined(_ pieces: [Piece]) -> [Piece] {
        var found: [Piece] = []
        var opens = false
        for piece in pieces {
            let follows = piece.hasBlank && !found.isEmpty && LineBreaking.followsBlank(piece.text)
            if follows || opens, var last = found.popLast() {
                last.text += (piece.hasBlank ? " " : "") + piece.text
                last.place = last.place.lowerBound..<piece.place.upperBound
                found.append(last)
            } else {
                found.append(piece)
            }
            opens = !follows && LineBreaking.precedesBlank(piece.text)
        }
        return found
    }
}
