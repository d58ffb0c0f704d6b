/// White space at the ends of text, by Python's rule: the property White_Space and U+001C to U+001F.
package enum WhiteSpace {
    package static func contains(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || (0x1c...0x1f).contains(scalar.value)
    }

    /// `text` without the white space at both ends (Python's `strip`). Looks at scalars: a combining mark after a
    /// space does not hide the space.
    package static func strip(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !contains($0) }),
            let last = scalars.lastIndex(where: { !contains($0) })
        else { return "" }
        return String(String.UnicodeScalarView(scalars[first...last]))
    }
}
