import WhisperEngine

/// The request line and the headers, byte by byte (RFC 9112).
struct HeadValidator {
    enum BodyLength {
        case none
        case bytes(Int)
        case chunks
    }

    /// Bytes. libsoup closes the connection without a response if a head has 64 KiB. `RequestGuard` has smaller limits.
    private static let maxLength = 60 << 10

    private var line: [UInt8] = []
    private var length = 0
    var isEmpty: Bool { length == 0 }
    private var hasRequestLine = false
    private var lengths: [String] = []
    private var codings: [String] = []

    /// - Returns: whether the head is complete.
    mutating func append(_ byte: UInt8) throws(HTTPError) -> Bool {
        length += 1
        guard length <= Self.maxLength else { throw hasRequestLine ? .headersTooLarge : .addressTooLong }
        guard byte == UInt8(ascii: "\n") else {
            line.append(byte)
            return false
        }
        guard line.popLast() == UInt8(ascii: "\r") else { throw HTTPError(400, "A line does not end with CR LF.") }
        defer { line.removeAll(keepingCapacity: true) }
        if line.isEmpty {
            // Some clients send an empty line after a request.
            guard hasRequestLine || length <= 4 else { throw HTTPError(400, "There is no request.") }
            return hasRequestLine
        }
        if hasRequestLine {
            let (name, value) = try HTTPLine.header(line[...])
            if name == "content-length" { lengths.append(value) }
            if name == "transfer-encoding" { codings.append(value.lowercased()) }
        } else {
            try checkRequestLine()
            hasRequestLine = true
        }
        return false
    }

    private func checkRequestLine() throws(HTTPError) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(HTTPLine.isToken), !parts[1].isEmpty,
            parts[1].allSatisfy({ (0x21...0x7e).contains($0) }), parts[2].starts(with: "HTTP/".utf8)
        else { throw HTTPError(400, "The request line is not valid.") }
        guard parts[2].elementsEqual("HTTP/1.1".utf8) || parts[2].elementsEqual("HTTP/1.0".utf8) else {
            throw HTTPError(505, "Only HTTP/1.1 is supported.")
        }
    }

    /// How the body is delimited, if that is unambiguous.
    func bodyLength() throws(HTTPError) -> BodyLength {
        if lengths.count > 1 || !codings.isEmpty && !lengths.isEmpty {
            throw HTTPError(400, "The length of the body is given twice.")
        }
        if let length = lengths.first {
            guard !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(length)
            else {
                throw HTTPError(400, "The length of the body is not a number.")
            }
            return count == 0 ? .none : .bytes(count)
        }
        guard !codings.isEmpty else { return .none }
        guard codings == ["chunked"] else {
            throw HTTPError(501, "Only the transfer coding 'chunked' is supported.")
        }
        return .chunks
    }
}

extension HTTPError {
    static let addressTooLong = HTTPError(414, "The address is too long.")
    static let headersTooLarge = HTTPError(431, "The headers are too large.")
}

/// A line of a request's head or of the trailers of its body (RFC 9112).
enum HTTPLine {
    /// Checks `NAME: VALUE`.
    ///
    /// - Returns: the name in lower case and the value without the blanks around it.
    static func header(_ line: ArraySlice<UInt8>) throws(HTTPError) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isToken),
            line[(colon + 1)...].allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 9 })
        else { throw HTTPError(400, "A header is not valid.") }
        let value = WhiteSpace.strip(String(decoding: line[(colon + 1)...], as: UTF8.self))
        return (String(decoding: line[..<colon], as: UTF8.self).lowercased(), value)
    }

    /// Characters of methods and of names of headers (RFC 9110).
    static func isToken(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
