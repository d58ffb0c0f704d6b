extension UInt8 {
    /// Whether it is a letter or digit of ASCII.
    package var isASCIIAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: false
        }
    }
}

extension StringProtocol {
    /// The text with every control character and line or paragraph separator replaced, so that text from a model or a
    /// file cannot control the terminal it is printed to.
    ///
    /// - Parameters:
    ///   - replacement: U+FFFD unless the width on the terminal must be one column.
    ///   - kept: characters that stay, such as the tab.
    package func replacingControlCharacters(
        with replacement: Unicode.Scalar = "\u{fffd}", except kept: Set<Unicode.Scalar> = []
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where !kept.contains(scalar), .lineSeparator, .paragraphSeparator: result.append(replacement)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether the character shows nothing of its own, but may change how others are shown or move the cursor: control
    /// characters, separators of lines, marks and controls of the writing direction, zero-width characters, tags. The
    /// variation selectors that make a symbol an emoji are not counted.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: properties.isDefaultIgnorableCodePoint && value != 0xfe0e && value != 0xfe0f
        }
    }
}

/// Whitespace as Python's `str.isspace` defines it: the property White_Space plus U+001C to U+001F.
package enum WhiteSpace {
    package static func contains(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || (0x1c...0x1f).contains(scalar.value)
    }

    /// Removes the whitespace at both ends (Python's `str.strip`).
    ///
    /// Works on scalars, so a combining mark after a space does not protect the space.
    package static func strip(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !contains($0) }),
            let last = scalars.lastIndex(where: { !contains($0) })
        else { return "" }
        return String(String.UnicodeScalarView(scalars[first...last]))
    }
}
