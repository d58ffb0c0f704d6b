/// Decodes base64 (RFC 4648, section 4) that arrives in pieces.
///
/// Strict: only the standard alphabet, and no set bits after the last whole byte. White space is ignored, the padding may
/// be missing, and a prefix such as `data:audio/mp4;base64,` is skipped.
package struct Base64Decoder {
    private enum Place {
        /// In or before a prefix, and how many of its characters have matched.
        case scheme(matched: Int)
        /// In the prefix's media type, with the number of its characters that have matched the ending.
        case mediaType(matched: Int)
        case data
        case padding
    }

    private static let scheme = Array("data:".utf8)
    private static let ending = Array(";base64,".utf8)
    /// The value of each digit, or `notDigit`.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: notDigit, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, digit) in alphabet.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
    private static let notDigit: UInt8 = 64

    package init() {}

    private var place = Place.scheme(matched: 0)
    private var isMalformed = false
    /// Number of digits so far.
    private var digits = 0
    private var padding = 0
    /// The last digits, six bits each.
    private var bits: UInt32 = 0

    /// Number of bytes that all digits so far stand for.
    package var byteCount: Int { digits / 4 * 3 + digits % 4 * 6 / 8 }

    /// Whether the text is complete and well-formed if nothing follows.
    package var isValid: Bool {
        let unused: UInt32 =
            switch digits % 4 {
            case 2: bits & 0xf
            case 3: bits & 0x3
            default: 0
            }
        let isPadded = padding == 0 || digits % 4 > 1 && padding == 4 - digits % 4
        if case .mediaType = place { return false }
        return !isMalformed && digits % 4 != 1 && unused == 0 && isPadded
    }

    /// Decodes a piece.
    ///
    /// - Parameter byte: receives each byte. After a malformed piece, digits are still counted.
    package mutating func append(_ piece: ArraySlice<UInt8>, _ byte: (UInt8) -> Void) {
        let values = Self.values
        for character in piece {
            if case .data = place, values[Int(character)] != Self.notDigit {
                append(digit: values[Int(character)], byte)
            } else {
                append(character, byte)
            }
        }
    }

    /// Decodes a whole text; `nil` if it is not base64.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3 + 2)
        var decoder = Base64Decoder()
        decoder.append(Array(text.utf8)[...]) { bytes.append($0) }
        decoder.finish { bytes.append($0) }
        return decoder.isValid ? bytes : nil
    }

    /// Decodes what is held back until it is clear that there is no prefix.
    package mutating func finish(_ byte: (UInt8) -> Void) {
        guard case .scheme(let matched) = place else { return }
        place = .data
        for character in Self.scheme[..<matched] { append(character, byte) }
    }

    private mutating func append(_ character: UInt8, _ byte: (UInt8) -> Void) {
        // Space, tab, line feed, form feed, carriage return.
        if [0x20, 0x09, 0x0a, 0x0c, 0x0d].contains(character) { return }
        switch place {
        case .scheme(let matched):
            if character == Self.scheme[matched] {
                place = matched + 1 == Self.scheme.count ? .mediaType(matched: 0) : .scheme(matched: matched + 1)
            } else {
                finish(byte)
                append(character, byte)
            }
        case .mediaType(let matched):
            if character == Self.ending[matched] {
                place = matched + 1 == Self.ending.count ? .data : .mediaType(matched: matched + 1)
            } else {
                place = .mediaType(matched: character == Self.ending[0] ? 1 : 0)
            }
        case .data, .padding:
            let value = Self.values[Int(character)]
            if value != Self.notDigit {
                if padding > 0 { isMalformed = true }
                append(digit: value, byte)
            } else if character == UInt8(ascii: "=") {
                place = .padding
                padding += 1
            } else {
                isMalformed = true
            }
        }
    }

    private mutating func append(digit: UInt8, _ byte: (UInt8) -> Void) {
        bits = bits << 6 | UInt32(digit)
        digits += 1
        switch digits % 4 {
        case 2: byte(UInt8(truncatingIfNeeded: bits >> 4))
        case 3: byte(UInt8(truncatingIfNeeded: bits >> 2))
        case 0: byte(UInt8(truncatingIfNeeded: bits))
        default: break
        }
    }
}
