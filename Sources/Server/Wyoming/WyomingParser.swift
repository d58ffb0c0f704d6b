import WhisperEngine

/// Divides the bytes of a connection into events, whatever the reads. No memory is set aside for a length before it is
/// known to be allowed.
package struct WyomingParser: Sendable {
    /// Bytes.
    package static let (maxLine, maxData, maxPayload) = (64 << 10, 1 << 20, 1 << 20)
    private static let maxMembers = 20_000
    private static let maxDepth = 32

    private struct Header {
        let type: String
        let data: JSONValue
        let dataLength: Int
        let payloadLength: Int
    }

    private var bytes: [UInt8] = []
    /// The bytes of the first line that were searched for its end.
    private var searched = 0
    private var header: Header?

    package init() {}

    /// Whether an event has begun.
    package var isInsideEvent: Bool { header != nil || !bytes.isEmpty }

    package mutating func append(_ more: [UInt8]) { bytes += more }

    /// The next event; `nil` if its bytes are not complete.
    ///
    /// - Throws: `WyomingError`, after which nothing more can be read.
    package mutating func next() throws(WyomingError) -> WyomingEvent? {
        if header == nil { header = try readHeader() }
        guard let header, bytes.count >= header.dataLength + header.payloadLength else { return nil }
        var data = header.data
        if header.dataLength > 0 {
            data = try Self.merged(header.data, Self.object(Array(bytes[..<header.dataLength]), "The data"))
        }
        let end = header.dataLength + header.payloadLength
        let event = WyomingEvent(header.type, data: data, payload: Array(bytes[header.dataLength..<end]))
        bytes.removeFirst(end)
        self.header = nil
        searched = 0
        return event
    }

    private mutating func readHeader() throws(WyomingError) -> Header? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            guard searched <= Self.maxLine else { throw .tooLongLine }
            return nil
        }
        guard end <= Self.maxLine else { throw .tooLongLine }
        let line = try Self.object(Array(bytes[..<end]), "The first line")
        bytes.removeFirst(end + 1)
        guard let type = line["type"]?.string, !type.isEmpty else {
            throw WyomingError(.badEvent, "An event needs a type.")
        }
        var data = JSONValue.object([])
        switch line["data"] {
        case .object?: data = line["data"] ?? data
        case .null?, nil: break
        default: throw WyomingError(.badEvent, "The data of an event must be an object.")
        }
        return Header(
            type: type, data: data, dataLength: try Self.length(line, "data_length", limit: Self.maxData),
            payloadLength: try Self.length(line, "payload_length", limit: Self.maxPayload))
    }

    private static func length(_ line: JSONValue, _ name: String, limit: Int) throws(WyomingError) -> Int {
        guard let value = line[name], value != .null else { return 0 }
        guard let length = value.count else {
            throw WyomingError(.badEvent, "\(name) must be a number of bytes.")
        }
        guard length <= limit else { throw WyomingError(.badEvent, "\(name) is more than \(limit) bytes.") }
        return length
    }

    private static func object(_ text: [UInt8], _ what: String) throws(WyomingError) -> JSONValue {
        guard let value = try? JSONValue(text, depth: maxDepth, members: maxMembers), case .object = value else {
            throw WyomingError(.badEvent, "\(what) of an event must be a JSON object.")
        }
        return value
    }

    /// The members of both objects; those of the second replace the first's.
    private static func merged(_ first: JSONValue, _ second: JSONValue) -> JSONValue {
        guard case .object(let old) = first, case .object(let new) = second else { return second }
        return .object(old.filter { member in !new.contains { $0.name == member.name } } + new)
    }
}

extension WyomingError {
    fileprivate static let tooLongLine = WyomingError(.badEvent, "The first line of an event is longer than 64 KiB.")
}
