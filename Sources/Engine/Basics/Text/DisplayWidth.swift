/// The columns that text occupies on a terminal or in a subtitle: two for East Asian wide characters and emoji, none for
/// combining ones.
package enum DisplayWidth {
    package static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    package static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        // Variation selector 16 selects the emoji form of a character that also has a text form.
        if scalar.properties.isEmoji, character.unicodeScalars.contains("\u{fe0f}") { return 2 }
        switch scalar.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return 0
        default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }

    /// The longest suffix of `text` that fits, after `…` if something is omitted.
    package static func tail(of text: String, columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        var left = columns - 1
        guard left > 0 else { return "" }
        var tail: [Character] = []
        for character in text.reversed() {
            left -= self.columns(of: character)
            if left < 0 { break }
            tail.append(character)
        }
        return "…" + String(tail.reversed())
    }

    /// The longest prefix of `text` that fits.
    package static func head(of text: String, columns: Int) -> String {
        var left = columns
        return String(
            text.prefix { character in
                left -= self.columns(of: character)
                return left >= 0
            })
    }

    /// Unicode's East Asian Width W and F; ranges are joined across gaps without other characters.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x231a...0x231b, 0x23e9...0x23ec, 0x2614...0x2615, 0x2648...0x2653, 0x26a1...0x26a1,
        0x26bd...0x26be, 0x26ce...0x26ce, 0x2705...0x2705, 0x270a...0x270b, 0x2728...0x2728, 0x274c...0x274c,
        0x2753...0x2755, 0x2795...0x2797, 0x2b1b...0x2b1c, 0x2b50...0x2b50, 0x2e80...0x303e, 0x3041...0x33ff,
        0x3400...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
        0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18dff, 0x1aff0...0x1b2ff, 0x1f004...0x1f004,
        0x1f0cf...0x1f0cf, 0x1f18e...0x1f18e, 0x1f191...0x1f19a, 0x1f1e6...0x1f320, 0x1f32d...0x1f335,
        0x1f337...0x1f37c, 0x1f37e...0x1f393, 0x1f3a0...0x1f3ca, 0x1f3cf...0x1f3d3, 0x1f3e0...0x1f3f0,
        0x1f3f4...0x1f3f4, 0x1f3f8...0x1f43e, 0x1f440...0x1f440, 0x1f442...0x1f4fc, 0x1f4ff...0x1f53d,
        0x1f54b...0x1f567, 0x1f57a...0x1f57a, 0x1f595...0x1f596, 0x1f5a4...0x1f5a4, 0x1f5fb...0x1f64f,
        0x1f680...0x1f6c5, 0x1f6cc...0x1f6cc, 0x1f6d0...0x1f6d2, 0x1f6d5...0x1f6df, 0x1f6eb...0x1f6ec,
        0x1f6f4...0x1f6fc, 0x1f7e0...0x1f7eb, 0x1f90c...0x1f9ff, 0x1fa70...0x1faff, 0x20000...0x3fffd,
    ]
}
