/// Text operations that match Python's exactly.
enum OutputText {
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
