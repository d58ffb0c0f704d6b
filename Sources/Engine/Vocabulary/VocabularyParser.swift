import EngineBasics

/// Reads the lines of a vocabulary: terms, rules and comments.
struct VocabularyParser {
    private(set) var result = UserVocabulary.Reading()
    private let file: FilePath?
    private var line = 1
    private var entries = 0

    init(file: FilePath?) { self.file = file }

    mutating func parse(_ bytes: [UInt8]) {
        // A byte order mark.
        let bytes = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            defer { self.line += 1 }
            guard entries <= UserVocabulary.maxEntries else { return }
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if let bad = UTF8Text.firstInvalidByte(line) {
                let before = String(decoding: line[..<(line.startIndex + bad)], as: UTF8.self)
                report(.notText, at: before.count)
            } else {
                parse(line: Array(String(decoding: line, as: UTF8.self)))
            }
        }
    }

    /// Terms separated by commas.
    mutating func parse(list: String) {
        let characters = Array(list)
        if let bad = characters.firstIndex(where: Self.isControl) { return report(.controlCharacter, at: bad) }
        for part in characters.split(separator: ",") {
            let part = Self.trimmed(part)
            if !part.isEmpty { add(term: part) }
        }
    }

    private mutating func report(_ problem: VocabularyError.Problem, at offset: Int) {
        result.problems.append(.invalid(file: file, line: line, column: offset + 1, problem))
    }

    private mutating func parse(line: [Character]) {
        if let bad = line.firstIndex(where: Self.isControl) { return report(.controlCharacter, at: bad) }
        let whole = Self.trimmed(line[...])
        guard let first = whole.first, first != "#" else { return }
        if first == "/", Self.arrow(in: whole) != nil { return parse(pattern: whole) }
        let entry = Self.trimmed(Self.withoutComment(whole))
        guard let arrow = Self.arrow(in: entry) else { return add(term: entry) }
        let heard = Self.trimmed(entry[..<arrow]), written = Self.trimmed(entry[(arrow + 2)...])
        if let second = Self.arrow(in: written) { return report(.writtenTwice, at: second) }
        guard !heard.isEmpty else { return report(.nothingHeard, at: entry.startIndex) }
        guard fits(heard), fits(written) else { return }
        add { $0.add(ReplacementRule(String(heard), written: String(written))) }
    }

    /// `/expression/ => text`
    private mutating func parse(pattern whole: ArraySlice<Character>) {
        var end = whole.startIndex + 1
        while end < whole.endIndex, whole[end] != "/" { end += whole[end] == "\\" ? 2 : 1 }
        guard end < whole.endIndex else { return report(.noReplacement, at: whole.startIndex) }
        let source = whole[(whole.startIndex + 1)..<end]
        let rest = Self.trimmed(Self.withoutComment(whole[(end + 1)...]))
        guard Self.arrow(in: rest) == rest.startIndex else { return report(.noReplacement, at: end + 1) }
        let written = Self.trimmed(rest.dropFirst(2))
        guard fits(source), fits(written) else { return }
        do {
            let rule = try ReplacementRule(pattern: String(source), written: String(written))
            add { $0.add(rule) }
        } catch {
            let start = error.isInReplacement ? written.startIndex : source.startIndex
            report(.badPattern(error.description), at: start + error.offset)
        }
    }

    /// `term ^weight ~ sound, sound`
    private mutating func add(term entry: ArraySlice<Character>) {
        let tilde = entry.indices.first { entry[$0] == "~" && ($0 == entry.startIndex || entry[$0 - 1].isWhitespace) }
        var text = Self.trimmed(entry[..<(tilde ?? entry.endIndex)])
        var weight: Float = 1
        if let caret = Self.weight(in: text) {
            let digits = String(text[(caret + 1)...])
            guard let value = Float(digits), UserVocabulary.weights.contains(value) else {
                return report(.badWeight("^" + digits), at: caret)
            }
            weight = value
            text = Self.trimmed(text[..<caret])
            if let second = Self.weight(in: text) { return report(.weightTwice, at: second) }
        }
        guard !text.isEmpty else { return report(.noTerm, at: entry.startIndex) }
        guard text.contains(where: Self.isSpoken) else { return report(.noLetters, at: text.startIndex) }
        guard fits(text) else { return }
        var sounds: [String] = []
        if let tilde {
            for part in entry[(tilde + 1)...].split(separator: ",", omittingEmptySubsequences: false) {
                let sound = Self.trimmed(part)
                guard sound.contains(where: Self.isSpoken) else { return report(.emptySound, at: part.startIndex) }
                guard fits(sound) else { return }
                sounds.append(Self.spoken(sound))
            }
        }
        let term = Term(Self.spoken(text), weight: weight, sounds: sounds)
        add { $0.add(term) }
        if result.lines[term.text] == nil { result.lines[term.text] = line }
    }

    private mutating func add(_ change: (inout UserVocabulary) -> Void) {
        entries += 1
        guard entries <= UserVocabulary.maxEntries else { return report(.tooManyEntries, at: 0) }
        change(&result.vocabulary)
    }

    /// Reports a text that is too long.
    private mutating func fits(_ text: ArraySlice<Character>) -> Bool {
        let limit = UserVocabulary.maxCharacters
        if text.count > limit { report(.tooLong(limit: limit), at: text.startIndex + limit) }
        return text.count <= limit
    }

    // MARK: -

    private static func trimmed(_ text: ArraySlice<Character>) -> ArraySlice<Character> {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// With single blanks between words, as models write them.
    private static func spoken(_ text: ArraySlice<Character>) -> String {
        NormalizedText.composed(text.split(whereSeparator: \.isWhitespace).map { String($0) }.joined(separator: " "))
    }

    /// A comment begins with # after white space, so that C# is a term.
    private static func withoutComment(_ text: ArraySlice<Character>) -> ArraySlice<Character> {
        let mark = text.indices.first { text[$0] == "#" && ($0 == text.startIndex || text[$0 - 1].isWhitespace) }
        return text[..<(mark ?? text.endIndex)]
    }

    private static func arrow(in text: ArraySlice<Character>) -> Int? {
        text.indices.dropLast().first { text[$0] == "=" && text[$0 + 1] == ">" }
    }

    /// Where the last word begins if it begins with ^.
    private static func weight(in text: ArraySlice<Character>) -> Int? {
        let start = text.lastIndex(where: \.isWhitespace).map { $0 + 1 } ?? text.startIndex
        return start < text.endIndex && text[start] == "^" ? start : nil
    }

    private static func isSpoken(_ character: Character) -> Bool { character.isLetter || character.isNumber }

    private static func isControl(_ character: Character) -> Bool {
        character != "\t" && character.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
