import WhisperEngine

/// The forms in which a client gets the words that Whisper generated.
package enum TurnText {
    private static let apostrophes: Set<Character> = ["'", "’", "ʼ", "＇"]
    private static let hyphens: Set<Character> = ["-", "‐", "‑"]
    private static let numberMarks: Set<Character> = [".", ",", ":", "/"]
    private static let sentenceEnds: Set<Character> = [".", "?", "!", "…", "。", "？", "！"]

    /// The text of a word without surrounding blanks; empty for tags such as `[Music]` or `♪`, which are not speech.
    package static func spoken(_ word: String) -> String {
        let text = WhiteSpace.strip(word)
        if text.hasPrefix("["), text.hasSuffix("]") { return "" }
        return text.allSatisfy { "♪♫♬".contains($0) } ? "" : text
    }

    /// The text in lower case without punctuation. Apostrophes and hyphens inside words are kept, and so are marks
    /// inside numbers, which would become other numbers without them.
    ///
    /// - Parameter previous: the character before, if the text continues a word.
    package static func plain(_ text: String, after previous: Character? = nil) -> String {
        let start = previous.map { [$0] } ?? []
        let characters = start + text.lowercased()
        var plain = ""
        for (index, character) in characters.enumerated().dropFirst(start.count) {
            if isKept(character) {
                plain.append(character)
            } else if index > 0, index + 1 < characters.count {
                let (before, after) = (characters[index - 1], characters[index + 1])
                if apostrophes.contains(character) || hyphens.contains(character), isKept(before), isKept(after) {
                    plain.append(character)
                } else if numberMarks.contains(character), before.isNumber, after.isNumber {
                    plain.append(character)
                }
            }
        }
        return plain
    }

    /// Whether a word ends a sentence.
    package static func endsSentence(_ word: String) -> Bool { word.last.map(sentenceEnds.contains) ?? false }

    private static func isKept(_ character: Character) -> Bool {
        !character.isPunctuation && !character.isWhitespace && !"♪♫♬".contains(character)
    }
}
