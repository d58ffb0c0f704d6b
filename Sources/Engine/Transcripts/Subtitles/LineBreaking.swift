import EngineBasics

/// Where a line may break in scripts without blanks between words, and how well it does there.
enum LineBreaking {
    /// Not at the start of a line: closing signs, small kana, iteration and length marks, Thai vowels and signs that follow
    /// their consonant.
    private static let notFirst: Set<Unicode.Scalar> = Set(
        "、。，．・：；！？」』）］｝〉》】〕〟’”…‥ー～〜々〻ゝゞヽヾぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ!?,.:;)]}»%％°ะาำๅๆฯ"
            .unicodeScalars)
    /// Not at the end of a line: opening signs, currencies, Thai vowels that precede their consonant.
    private static let notLast: Set<Unicode.Scalar> = Set("「『（［｛〈《【〔〝‘“([{«¿¡＄￥$¥€£#เแโใไ".unicodeScalars)
    /// Japanese particles, after which a phrase ends.
    private static let particles: Set<Unicode.Scalar> = Set("はがをにでともへのやかね".unicodeScalars)
    /// Chinese characters that belong to what precedes them.
    private static let followers: Set<Unicode.Scalar> = Set("的了吗嗎呢吧着著过過们們地得里裡上下中".unicodeScalars)

    /// Signs that stand apart from the word before them, as in French.
    private static let apart: Set<Unicode.Scalar> = Set("?!:;»”)]}%…–—-/°€$£".unicodeScalars)
    private static let openers: Set<Unicode.Scalar> = Set("«“„([{¿¡–—-".unicodeScalars)

    /// Whether a blank separates words; lines do not break at those that keep together what they divide.
    static func isBlank(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { WhiteSpace.contains($0) && ![0xa0, 0x2007, 0x202f].contains($0.value) }
    }

    /// Whether a word of nothing but signs goes with the word before it.
    static func followsBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(apart.contains) }

    /// Whether a word of nothing but signs goes with the word after it.
    static func precedesBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(openers.contains) }

    /// Whether a line may break between two characters without a blank.
    static func isAllowed(between left: Character, _ right: Character) -> Bool {
        guard let before = left.unicodeScalars.last, let base = left.unicodeScalars.first,
            let after = right.unicodeScalars.first,
            WordBoundary.isWithoutBlanks(before) || WordBoundary.isWithoutBlanks(after)
                || WordBoundary.isWithoutBlanks(base)
        else { return false }
        return !notFirst.contains(after) && !notLast.contains(before) && !notLast.contains(base)
    }

    /// What a break costs there: less after a particle and where the script changes, more inside a word.
    static func cost(between left: Character, _ right: Character) -> Double {
        guard let before = left.unicodeScalars.first, let after = right.unicodeScalars.first else { return 0 }
        switch (Script(before), Script(after)) {
        case (.hiragana, .hiragana): return 3
        case (.hiragana, _): return particles.contains(before) ? -1 : 0.5
        case (.ideograph, .hiragana): return 5
        case (.ideograph, .ideograph): return followers.contains(after) ? 5 : followers.contains(before) ? -0.5 : 2
        case (.katakana, .katakana), (.other, .other): return 5
        case (.southeast, .southeast): return notLast.contains(after) ? 2 : 4
        default: return 0.5
        }
    }

    private enum Script {
        case hiragana, katakana, ideograph, southeast, other

        init(_ scalar: Unicode.Scalar) {
            self =
                switch scalar.value {
                case 0x3041...0x309f: .hiragana
                case 0x30a0...0x30ff, 0x31f0...0x31ff: .katakana
                case 0x2e80...0x2fdf, 0x3400...0x9fff, 0xf900...0xfaff, 0x20000...0x3ffff: .ideograph
                case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff: .southeast
                default: .other
                }
        }
    }
}
