/// A body in chunks (RFC 9112).
struct ChunkValidator {
    private enum Phase {
        case size
        case data(Int)
        /// The line end after the data.
        case dataEnd
        case trailers
        case end
    }

    // Bytes.
    /// libsoup closes the connection without a response if a line has 128 bytes.
    private static let maxSizeLine = 100
    private static let maxTrailers = 8 << 10
    private static let maxDigits = 16

    private var phase = Phase.size
    private var line: [UInt8] = []
    private var trailerLength = 0

    var isComplete: Bool {
        if case .end = phase { true } else { false }
    }

    /// - Returns: how many of the bytes belong to the body.
    mutating func check(_ bytes: Span<UInt8>) throws(HTTPError) -> Int {
        var index = 0
        while index < bytes.count {
            switch phase {
            case .data(let left):
                let count = min(left, bytes.count - index)
                index += count
                phase = count == left ? .dataEnd : .data(left - count)
                continue
            case .end: return index
            case .size, .dataEnd, .trailers: break
            }
            line.append(bytes[index])
            if bytes[index] == UInt8(ascii: "\n") {
                guard line.suffix(2).elementsEqual("\r\n".utf8) else { throw Self.invalid }
                try finish(line.dropLast(2))
                line.removeAll(keepingCapacity: true)
            }
            try checkLength()
            index += 1
        }
        return index
    }

    private mutating func finish(_ line: ArraySlice<UInt8>) throws(HTTPError) {
        switch phase {
        case .size:
            let count = try Self.size(line)
            phase = count == 0 ? .trailers : .data(count)
        case .dataEnd: phase = .size
        case .trailers where line.isEmpty: phase = .end
        case .trailers:
            trailerLength += line.count
            _ = try HTTPLine.header(line)
        case .data, .end: break
        }
    }

    private func checkLength() throws(HTTPError) {
        switch phase {
        case .size where line.count > Self.maxSizeLine: throw Self.invalid
        case .dataEnd where line.count > 2 || line.first.map({ $0 != UInt8(ascii: "\r") }) ?? false: throw Self.invalid
        case .trailers where line.count + trailerLength > Self.maxTrailers:
            throw HTTPError(431, "The headers are too large.")
        default: break
        }
    }

    /// A size in hexadecimal digits, possibly with extensions after a semicolon.
    private static func size(_ line: ArraySlice<UInt8>) throws(HTTPError) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        let isHexadecimal = digits.allSatisfy { PercentCoding.digit($0) != nil }
        let extensions = line[digits.endIndex...]
        guard !digits.isEmpty, digits.count <= maxDigits, isHexadecimal,
            extensions.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 9 }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw invalid }
        return size
    }

    private static let invalid = HTTPError(400, "The chunks of the body are not valid.")
}
