/// Text operations that must agree with Python's to the code point.
enum OutputText {
    /// Python's `str.replace()`: occurrences from the left, none overlapping, compared byte by byte. (Swift's own
    /// comparison would miss a mark that a combining accent follows.)
    static func replacing(_ old: StaticASCII, with new: StaticASCII, in text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var at = 0
        while at < bytes.count {
            if bytes[at...].starts(with: old.bytes) {
                result += new.bytes
                at += old.bytes.count
            } else {
                result.append(bytes[at])
                at += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// ASCII that is never empty, so that replacing it keeps UTF-8 whole and always moves on.
    struct StaticASCII: ExpressibleByStringLiteral {
        let bytes: [UInt8]

        init(stringLiteral value: String) {
            precondition(!value.isEmpty && value.utf8.allSatisfy { $0 < 0x80 }, "not ASCII: \(value)")
            bytes = Array(value.utf8)
        }
    }
}
