import WhisperEngine

/// The body of a request for the transcript of a video.
struct VideoRequest {
    /// The maximum size of a body. It is above that of the largest allowed recording, so that slightly larger ones get
    /// a specific error.
    static let bodyLimit = 64 << 20

    let address: String
    let platform: VideoLink.Platform
    /// `nil` if there is none.
    let audio: EncodedAudio?

    /// - Throws: `VideoRefusal`.
    init(_ body: [UInt8]) throws(VideoRefusal) {
        var address: String?
        var platform: String?
        var audio: EncodedAudio?
        var parser = JSONParser(text: body, membersLeft: 1000)
        do throws(JSONValue.Problem) {
            try parser.document(depth: 16) { (name, parser) throws(JSONValue.Problem) in
                switch name {
                case "videoUrl": address = try parser.value(depth: 15).string
                case "platform": platform = try parser.value(depth: 15).string
                case "audioData": audio = try EncodedAudio(body, &parser)
                default: _ = try parser.value(depth: 15)
                }
            }
        } catch {
            throw .invalidJSON
        }
        guard let address, let platform, !address.isEmpty, !platform.isEmpty else { throw .missingFields }
        guard let known = VideoLink.Platform(rawValue: platform) else { throw .invalidPlatform }
        self.address = address
        self.platform = known
        self.audio = audio
    }

    /// The id in the address; `nil` if it has none.
    var id: String? { VideoLink.id(in: address, on: platform) }
}

/// A recording as base64 in a JSON string. It stays in the body of its request until it is decoded, because it may be long.
struct EncodedAudio {
    /// The maximum size of a decoded recording.
    static let limit = 25 << 20

    private let body: [UInt8]
    private let position: Int

    /// - Parameter parser: is at the value.
    /// - Returns: `nil` for `null`.
    fileprivate init?(_ body: [UInt8], _ parser: inout JSONParser) throws(JSONValue.Problem) {
        self.body = body
        position = parser.position
        if parser.isAtString {
            try parser.pieces { _ in }
        } else if try parser.value(depth: 15) == .null {
            return nil
        }
    }

    /// The size of the decoded recording in bytes, and whether it can be decoded.
    var measure: (bytes: Int, isValid: Bool) {
        var parser = JSONParser(text: body, position: position, membersLeft: 0)
        guard parser.isAtString else { return (0, false) }
        var decoder = Base64Decoder()
        // The string has been parsed before.
        try? parser.pieces { piece in decoder.append(piece) { _ in } }
        decoder.finish { _ in }
        return (decoder.byteCount, decoder.isValid)
    }

    /// Decodes the recording in pieces, so that it is in memory only once.
    func upload() throws(HTTPError) -> Upload {
        var parser = JSONParser(text: body, position: position, membersLeft: 0)
        var decoder = Base64Decoder()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * Self.pieceBytes)
        let upload = Upload()
        var failure: HTTPError?
        func write() {
            do throws(HTTPError) {
                if failure == nil { try upload.append(bytes) }
            } catch {
                failure = error
            }
            bytes.removeAll(keepingCapacity: true)
        }
        try? parser.pieces { piece in
            var rest = piece
            while !rest.isEmpty {
                decoder.append(rest.prefix(Self.pieceBytes)) { bytes.append($0) }
                rest = rest.dropFirst(Self.pieceBytes)
                if bytes.count >= Self.pieceBytes { write() }
            }
        }
        decoder.finish { bytes.append($0) }
        write()
        if let failure { throw failure }
        upload.finish()
        return upload
    }

    private static let pieceBytes = 64 << 10
}
