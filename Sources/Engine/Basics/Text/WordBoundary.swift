/// Where one written word ends and the next one starts.
///
/// Whisper times parts of words, such as `re` and `-entered` or `5` and `,50`, as words of their own.
package enum WordBoundary {
    /// Scripts that are written without blanks between words: Thai and Lao, Burmese, Khmer, Chinese and Japanese with
    /// their punctuation.
    private static let withoutBlanks: [ClosedRange<UInt32>] = [
        0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff, 0x2e80...0xa4cf, 0xf900...0xfaff, 0xfe30...0xfe4f,
        0xff00...0xffef, 0x20000...0x3ffff,
    ]

    /// Whether a word ends between two texts that follow one another: at a blank, or next to a character of a script
    /// without blanks. Never inside a character, as before a combining mark or between the halves of a flag.
    package static func isBetween(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        guard let last = left.last, let first = right.first else { return true }
        let (before, after) = (last.unicodeScalars.last, first.unicodeScalars.first)
        guard let before, let after, !isInsideCharacter(left, right) else { return false }
        return [before, after].contains { WhiteSpace.contains($0) || isWithoutBlanks($0) }
    }

    /// Whether a character belongs to a script without blanks between words.
    package static func isWithoutBlanks(_ scalar: Unicode.Scalar) -> Bool {
        withoutBlanks.contains { $0.contains(scalar.value) }
    }

    /// Whether the end of one text and the start of the next form one character.
    package static func isInsideCharacter(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        guard let last = left.last, let first = right.first else { return false }
        return (String(last) + String(first)).count < 2
    }
}
