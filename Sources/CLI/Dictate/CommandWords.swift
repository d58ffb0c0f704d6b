/// The words of a command that no shell reads.
package enum CommandWords {
    /// Words between blanks; quotes of both kinds hold words together, a backslash takes the next sign as it is.
    ///
    /// - Returns: `nil` where a quote or a backslash stands alone, or for a zero byte.
    package static func split(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == "\0" { return nil }
            if isEscaped {
                word = (word ?? .init()) + [scalar]
                isEscaped = false
            } else if let open = quote {
                if scalar == open {
                    quote = nil
                } else if scalar == "\\", open == "\"" {
                    isEscaped = true
                } else {
                    word = (word ?? .init()) + [scalar]
                }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
                word = word ?? .init()
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == " " || scalar == "\t" || scalar == "\n" {
                if let word { words.append(String(word)) }
                word = nil
            } else {
                word = (word ?? .init()) + [scalar]
            }
        }
        if quote != nil || isEscaped { return nil }
        if let word { words.append(String(word)) }
        return words
    }
}
