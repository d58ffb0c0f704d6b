/// Finds the boundary lines in a multipart body, no matter how the body is split into reads.
///
/// A boundary line is CRLF, `--`, the boundary, and either `--` or blanks and CRLF (RFC 2046, section 5.1.1). A carriage
/// return can only be its first byte, so no byte is looked at more than twice.
struct MultipartDelimiter: Sendable {
    enum Found {
        /// A part follows.
        case part
        /// The body ends here.
        case end
    }

    /// More blanks after a boundary make it data, so that memory stays bounded.
    private static let maxBlanks = 256
    private static let (cr, lf, dash) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "-"))

    /// The bytes up to the end of the boundary.
    private let line: [UInt8]
    /// How many of them have been read. The first line of a body needs no CRLF before it.
    private var matched = 2
    /// The bytes read after them.
    private var tail: [UInt8] = []

    init(boundary: [UInt8]) {
        line = [Self.cr, Self.lf, Self.dash, Self.dash] + boundary
    }

    /// Reads up to the next boundary line, or to the end of the input.
    ///
    /// - Parameters:
    ///   - position: in `input`; moves past what was read.
    ///   - data: receives the bytes that are certainly not part of a boundary line.
    /// - Returns: `nil` if the input ends first.
    mutating func scan(_ input: [UInt8], from position: inout Int, into data: inout [UInt8]) -> Found? {
        while position < input.count {
            if matched == 0 {
                let start = position
                while position < input.count, input[position] != Self.cr { position += 1 }
                data += input[start..<position]
                guard position < input.count else { return nil }
                matched = 1
                position += 1
            } else if matched < line.count {
                if input[position] == line[matched] {
                    matched += 1
                    position += 1
                } else {
                    // This byte may start the next boundary line, so it is looked at again.
                    data += line[..<matched]
                    matched = 0
                }
            } else if let found = extend(by: input[position], &position, into: &data) {
                return found
            }
        }
        return nil
    }

    /// Reads a byte after the boundary.
    private mutating func extend(by byte: UInt8, _ position: inout Int, into data: inout [UInt8]) -> Found? {
        let isBlank = byte == 0x20 || byte == 0x09
        switch tail.last {
        case Self.dash where byte == Self.dash, Self.cr where byte == Self.lf:
            position += 1
            matched = 0
            tail = []
            return byte == Self.lf ? .part : .end
        case nil where byte == Self.dash || byte == Self.cr || isBlank,
            0x20 where (byte == Self.cr || isBlank) && tail.count < Self.maxBlanks,
            0x09 where (byte == Self.cr || isBlank) && tail.count < Self.maxBlanks:
            position += 1
            tail.append(byte)
        default:
            data += line + tail
            matched = 0
            tail = []
        }
        return nil
    }
}
