/// Reads the body of a request as its route requires.
enum BodyReader {
    case none(count: Int)
    case bytes([UInt8], limit: Int)
    case stored(Upload, limit: Int)
    case form(MultipartParser)

    /// Bytes that may be sent where no body is expected.
    private static let dropped = 64 << 10
    /// Bytes of the text fields of a form, and of the headers of its parts.
    private static let fields = 1 << 20

    /// - Throws: 411, 413 or 415 if the headers already show that the body will be refused.
    init(_ kind: Route.BodyKind, headers: Headers) throws(HTTPError) {
        let length = headers["Content-Length"].flatMap { Int($0) }
        switch kind {
        case .none:
            self = .none(count: 0)
            try Self.check(length ?? 0, limit: Self.dropped)
        case .bytes(let limit):
            try Self.check(length ?? 0, limit: limit)
            self = .bytes([], limit: limit)
        case .stored(let limit):
            try Self.check(length ?? 0, limit: limit)
            self = .stored(Upload(room: limit), limit: limit)
        case .form(let limit, let fileFields):
            if length == nil, headers["Transfer-Encoding"] == nil {
                throw HTTPError(411, "The request has no body.", code: "request_too_large")
            }
            try Self.check(length ?? 0, limit: limit, room: Self.fields)
            self = .form(
                try MultipartParser(
                    contentType: headers["Content-Type"], fileLimit: limit, fileFields: fileFields,
                    room: min(limit, length ?? limit)))
        }
    }

    mutating func append(_ chunk: [UInt8]) throws(HTTPError) {
        switch self {
        case .none(let count):
            try Self.check(count + chunk.count, limit: Self.dropped)
            self = .none(count: count + chunk.count)
        case .bytes(var bytes, let limit):
            // Otherwise the array would have two owners and be copied.
            self = .none(count: 0)
            try Self.check(bytes.count + chunk.count, limit: limit)
            bytes += chunk
            self = .bytes(bytes, limit: limit)
        case .stored(let upload, let limit):
            try Self.check(upload.count + chunk.count, limit: limit)
            try upload.append(chunk)
        case .form(var parser):
            self = .none(count: 0)
            try parser.append(chunk)
            self = .form(parser)
        }
    }

    mutating func finish() throws(HTTPError) -> RequestBody {
        switch self {
        case .none: return .none
        case .bytes(let bytes, _): return .bytes(bytes)
        case .stored(let upload, _): return .stored(upload)
        case .form(var parser): return .form(try parser.finish())
        }
    }

    /// - Parameter room: how much more there may be besides the recording.
    private static func check(_ count: Int, limit: Int, room: Int = 0) throws(HTTPError) {
        guard count <= limit + room else { throw .tooLarge(limit: limit) }
    }
}
