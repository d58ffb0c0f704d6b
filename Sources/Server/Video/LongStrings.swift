/// A JSON text on disk without its long strings: small enough to be parsed in memory, with the places of what is missing.
struct LongStrings {
    /// Longer strings are replaced by empty ones, bytes.
    private static let longest = 8 << 10
    /// Maximum bytes of the rest.
    private static let maxRest = 256 << 10
    private static let blockBytes = 256 << 10

    /// The text without the long strings and the white space around values; `nil` if it is too long even so.
    let rest: [UInt8]?
    /// Where the content of a long string is in the text, by the position of its quotation mark in `rest`.
    let places: [Int: Range<Int>]

    init(_ text: Upload) throws(HTTPError) {
        var rest: [UInt8] = []
        var places: [Int: Range<Int>] = [:]
        /// Where the current string begins: its quotation mark in `rest`, its content in the text.
        var string: (mark: Int, start: Int)?
        var isLong = false
        var isEscaped = false
        var position = 0
        while position < text.count, rest.count <= Self.maxRest {
            for byte in try text.bytes(position..<(position + Self.blockBytes)) {
                defer { position += 1 }
                guard let (mark, start) = string else {
                    if [0x20, 0x09, 0x0a, 0x0d].contains(byte) {
                        // White space ends numbers and words, but a run of it means no more than one blank.
                        if rest.last != 0x20 { rest.append(0x20) }
                        continue
                    }
                    rest.append(byte)
                    if byte == UInt8(ascii: "\"") {
                        (string, isLong) = ((rest.count - 1, position + 1), false)
                    }
                    continue
                }
                if byte == UInt8(ascii: "\""), !isEscaped {
                    if isLong { places[mark] = start..<position }
                    rest.append(byte)
                    string = nil
                } else if !isLong || byte < 0x20 {
                    // A control character may not be in a string, so the parser must see it.
                    rest.append(byte)
                    if rest.count - mark > Self.longest {
                        isLong = true
                        rest.removeLast(rest.count - mark - 1)
                    }
                }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            }
        }
        self.rest = rest.count <= Self.maxRest ? rest : nil
        self.places = places
    }

    /// Hands on the content of a long string in pieces, with escape sequences resolved.
    ///
    /// - Returns: whether all of these are known and stand for ASCII characters, as in base64.
    static func pieces(
        of text: Upload, in place: Range<Int>, _ piece: (ArraySlice<UInt8>) -> Void
    ) throws(HTTPError) -> Bool {
        var unescaper = Unescaper()
        for start in stride(from: place.lowerBound, to: place.upperBound, by: blockBytes) {
            let block = try text.bytes(start..<min(start + blockBytes, place.upperBound))
            guard let bytes = unescaper.unescaped(block) else { return false }
            piece(bytes[...])
        }
        return unescaper.isComplete
    }

    /// Resolves escape sequences that may be divided between blocks.
    private struct Unescaper {
        /// The characters of the current sequence after its backslash.
        private var sequence: [UInt8]?

        var isComplete: Bool { sequence == nil }

        /// - Returns: `nil` if there is an unknown sequence, or one for a character outside ASCII.
        mutating func unescaped(_ block: [UInt8]) -> [UInt8]? {
            if sequence == nil, !block.contains(UInt8(ascii: "\\")) { return block }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(block.count)
            for byte in block {
                guard var current = sequence else {
                    if byte == UInt8(ascii: "\\") { sequence = [] } else { bytes.append(byte) }
                    continue
                }
                current.append(byte)
                sequence = current
                guard current[0] != UInt8(ascii: "u") || current.count == 5 else { continue }
                guard let character = Self.character(current) else { return nil }
                bytes.append(character)
                sequence = nil
            }
            return bytes
        }

        private static func character(_ sequence: [UInt8]) -> UInt8? {
            switch sequence[0] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): sequence[0]
            case UInt8(ascii: "b"): 8
            case UInt8(ascii: "f"): 12
            case UInt8(ascii: "n"): 10
            case UInt8(ascii: "r"): 13
            case UInt8(ascii: "t"): 9
            case UInt8(ascii: "u"):
                sequence.dropFirst().reduce(0 as UInt8?) { code, digit in
                    guard let code, let digit = PercentCoding.digit(digit), code < 8 else { return nil }
                    return code << 4 | digit
                }
            default: nil
            }
        }
    }
}
