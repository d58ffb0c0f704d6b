import WhisperEngine

/// A word as the clouds return it: without blanks and without the punctuation attached to it.
enum SpokenWord {
    /// Returns an empty text for a word that is nothing but punctuation.
    static func bare(_ word: String) -> String {
        let scalars = word.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isAttached($0) }),
            let last = scalars.lastIndex(where: { !isAttached($0) })
        else { return "" }
        return String(String.UnicodeScalarView(scalars[first...last]))
    }

    private static func isAttached(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .dashPunctuation: true
        // Not the characters that are spoken, such as %, & and #.
        case .otherPunctuation: sentenceMarks.contains(scalar)
        default: WhiteSpace.contains(scalar)
        }
    }

    private static let sentenceMarks = Set(".,!?:;…\"'¿¡。，、！？：；．؟،؛।".unicodeScalars)
}
