@_spi(_Unicode) import Swift

/// Text in forms that make equal what looks or sounds the same.
package enum NormalizedText {
    /// The text in Unicode's form C: letters with their accents in one.
    static func composed(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text._nfc { scalars.append(scalar) }
        return String(scalars)
    }

    /// The letters and digits of a text, in lower case and without accents.
    package static func plainLetters(_ text: some StringProtocol) -> [Character] {
        var letters: [Character] = []
        for scalar in String(text).lowercased()._nfd {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: continue
            default: break
            }
            let character = Character(scalar)
            if character.isLetter || character.isNumber { letters.append(character) }
        }
        return letters
    }
}
