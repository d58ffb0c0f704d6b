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
    init(_ body: Upload) throws(VideoRefusal) {
        var address: String?
        var platform: String?
        var audio: EncodedAudio?
        let strings: LongStrings
        do throws(HTTPError) { strings = try LongStrings(body) } catch { throw .failed(error) }
        guard let rest = strings.rest else { throw .invalidJSON }
        var parser = JSONParser(text: rest, membersLeft: 1000)
        do throws(JSONValue.Problem) {
            try parser.document(depth: 16) { (name, parser) throws(JSONValue.Problem) in
                let place = strings.places[parser.position]
                let value = try parser.value(depth: 15)
                switch name {
                case "videoUrl": address = value.string
                case "platform": platform = value.string
                case "audioData":
                    audio = place.map { .stored(body, $0) } ?? (value == .null ? nil : .text(value.string))
                default: break
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

/// A recording as base64 in a JSON string.
enum EncodedAudio {
    /// `nil` if the value is not a string.
    case text(String?)
    /// Still in the body of its request, because it is long.
    case stored(Upload, Range<Int>)

    /// The maximum size of a decoded recording.
    static let limit = 25 << 20

    /// The size of the decoded recording in bytes, and whether it can be decoded.
    func measure() throws(HTTPError) -> (bytes: Int, isValid: Bool) {
        var decoder = Base64Decoder()
        let isString = try pieces { piece in decoder.append(piece) { _ in } }
        decoder.finish { _ in }
        return (decoder.byteCount, isString && decoder.isValid)
    }

    /// Decodes the recording in pieces, so that not all of it is in memory.
    func upload() throws(HTTPError) -> Upload {
        var decoder = Base64Decoder()
        let upload = Upload(room: Self.limit)
        var failure: HTTPError?
        func write(_ bytes: [UInt8]) {
            do throws(HTTPError) {
                if failure == nil { try upload.append(bytes) }
            } catch {
                failure = error
            }
        }
        _ = try pieces { piece in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(piece.count)
            decoder.append(piece) { bytes.append($0) }
            write(bytes)
        }
        var end: [UInt8] = []
        decoder.finish { end.append($0) }
        write(end)
        if let failure { throw failure }
        upload.finish()
        return upload
    }

    /// - Returns: whether the value is a string that may be base64.
    private func pieces(_ piece: (ArraySlice<UInt8>) -> Void) throws(HTTPError) -> Bool {
        switch self {
        case .text(let text):
            guard let text else { return false }
            piece(Array(text.utf8)[...])
            return true
        case .stored(let body, let place):
            return try LongStrings.pieces(of: body, in: place, piece)
        }
    }
}
