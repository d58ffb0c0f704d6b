import EngineBasics

/// A string of punctuation marks that texts are looked up in.
///
/// The test is the reference's `text in marks`: any run of adjacent marks matches, and so does an empty text. It compares
/// code points, not characters: a mark with a combining accent still contains the mark.
package struct PunctuationMarks: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ marks: String) {
        bytes = Array(marks.utf8)
    }

    /// Ends of sentences, where an overlong word contains a pause.
    package static let sentenceEnds = PunctuationMarks(".。!！?？")
    /// Marks that are not counted as words when words are judged.
    package static let all = PunctuationMarks("\"'“¿([{-\"'.。,，!！?？:：”)]}、")

    package func contains(_ text: some StringProtocol) -> Bool {
        let wanted = Array(text.utf8)
        guard wanted.count <= bytes.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}

/// Attaches punctuation to the words it belongs to, so that `" (", "maybe", ")"` becomes one word.
package struct PunctuationMerging: Hashable, Sendable {
    private let prepended: PunctuationMarks
    private let appended: PunctuationMarks

    /// - Parameters:
    ///   - prepended: marks that belong to the next word.
    ///   - appended: marks that belong to the previous word.
    package init(prepended: String, appended: String) {
        self.prepended = PunctuationMarks(prepended)
        self.appended = PunctuationMarks(appended)
    }

    /// Moves text and ids. A word whose text was moved stays in the list with an empty text and no ids; times do not
    /// change.
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
