import EngineBasics

/// What a text ends with, as far as it decides how the next word is written.
enum TextEnd {
    /// A word follows after a blank.
    case word
    /// A mark after which a sentence begins.
    case sentence
    /// A word follows without a blank: an opening mark, or a letter of a script without blanks between words.
    case withoutBlank

    private static let sentenceEnds: Set<Unicode.Scalar> = [".", "!", "?", "…", "。", "！", "？"]
    private static let openingMarks: Set<Unicode.Scalar> = [
        "\"", "'", "“", "‘", "„", "‚", "’", "«", "‹", "»", "¿", "¡", "(", "[", "{", "<", "-", "‐", "‑", "–", "—", "/",
    ]

    /// - Parameter bytes: of the last token; `nil` if it is blank, and the end is that of the text before it.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let last = WhiteSpace.strip(text).unicodeScalars.last else { return nil }
        if Self.sentenceEnds.contains(last) {
            self = .sentence
        } else if Self.openingMarks.contains(last) || Self.isWrittenWithoutBlanks(String(last)) {
            self = .withoutBlank
        } else {
            self = .word
        }
    }

    /// Whether a text begins in a script without blanks between words.
    static func isWrittenWithoutBlanks(_ text: String) -> Bool { WordBoundary.isBetween("a", text) }
}
