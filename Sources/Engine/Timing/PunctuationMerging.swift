/// Joins punctuation to the words it belongs to, so that `" (", "maybe", ")"` becomes one word.
package struct PunctuationMerging: Hashable, Sendable {
    private let prepended: PunctuationMarks
    private let appended: PunctuationMarks

    /// - Parameters:
    ///   - prepended: marks that belong to the next word.
    ///   - appended: marks that belong to the word before.
    package init(prepended: String, appended: String) {
        self.prepended = PunctuationMarks(prepended)
        self.appended = PunctuationMarks(appended)
    }

    /// Moves text and ids; a word whose text was taken stays with an empty text and no ids, and nobody's times change.
    package func merge(_ words: inout [WordTiming]) {
        guard words.count > 1 else { return }
        var following = words.count - 1
        for i in stride(from: words.count - 2, through: 0, by: -1) {
            if words[i].word.utf8.first == Self.space, prepended.contains(WhiteSpace.strip(words[i].word)) {
                words[following].word = words[i].word + words[following].word
                words[following].tokens = words[i].tokens + words[following].tokens
                words[i].word = ""
                words[i].tokens = []
            } else {
                following = i
            }
        }
        var previous = 0
        for i in 1..<words.count {
            if words[previous].word.utf8.last != Self.space, appended.contains(words[i].word) {
                words[previous].word += words[i].word
                words[previous].tokens += words[i].tokens
                words[i].word = ""
                words[i].tokens = []
            } else {
                previous = i
            }
        }
    }

    private static let space = UInt8(ascii: " ")
}
