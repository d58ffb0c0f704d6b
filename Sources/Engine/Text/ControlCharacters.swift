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
