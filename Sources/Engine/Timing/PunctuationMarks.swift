/// A string of punctuation marks, asked whether a text occurs in it.
///
/// The test is the reference's `text in marks`: any run of neighbouring marks counts, and so does the empty text.
/// It compares code points, not characters: a mark with a combining accent still holds the mark.
package struct PunctuationMarks: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ marks: String) {
        bytes = Array(marks.utf8)
    }

    /// Ends of sentences, where a long word is a pause.
    package static let sentenceEnds = PunctuationMarks(".。!！?？")
    /// What is not counted as a word when words are judged.
    package static let all = PunctuationMarks("\"'“¿([{-\"'.。,，!！?？:：”)]}、")

    package func contains(_ text: some StringProtocol) -> Bool {
        let wanted = Array(text.utf8)
        guard wanted.count <= bytes.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
