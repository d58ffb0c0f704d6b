/// Text operations that match Python's exactly.
enum OutputText {
    /// Python's `str.strip()`: removes white space at both ends, code point by code point.
    static func stripped(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(String.UnicodeScalarView(scalars[first...last]))
    }

    /// Python's `str.isspace()`: Unicode White_Space and the four information separators U+001C–U+001F.
    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || (0x1c...0x1f).contains(scalar.value)
    }

    /// Python's `str.replace()`: replaces non-overlapping occurrences from the left, comparing bytes. (Swift's comparison
    /// would miss a character followed by a combining accent.)
    static func replacing(_ old: StaticASCII, with new: StaticASCII, in text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            if bytes[position...].starts(with: old.bytes) {
                result += new.bytes
                position += old.bytes.count
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Non-empty ASCII, so that a replacement keeps UTF-8 valid and always makes progress.
    struct StaticASCII: ExpressibleByStringLiteral {
        let bytes: [UInt8]

        init(stringLiteral value: String) {
            precondition(!value.isEmpty && value.utf8.allSatisfy { $0 < 0x80 }, "not ASCII: \(value)")
            bytes = Array(value.utf8)
        }
    }
}
