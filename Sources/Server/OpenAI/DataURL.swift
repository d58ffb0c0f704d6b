/// Recordings in `data:` URLs. No other URL is ever fetched: that would let a client reach what only this machine can
/// reach.
enum DataURL {
    private static let blockBytes = 1 << 18
    /// Maximum bytes before the comma.
    private static let maxHead = 1024

    /// Decodes `data:audio/wav;base64,…`.
    ///
    /// - Parameters:
    ///   - url: the text of the URL.
    ///   - limit: maximum bytes of the recording.
    /// - Throws: 400 for any other URL and for text that is not base64.
    static func recording(_ url: Upload, limit: Int) throws(HTTPError) -> Upload {
        let start = try url.bytes(0..<maxHead)
        guard start.prefix(5).map({ $0 | 0x20 }) == Array("data:".utf8) else {
            throw .invalid(
                "url", "Recordings are not fetched from other servers. Send the file itself.",
                code: "url_not_supported")
        }
        let base64 = ";base64"
        guard let comma = start.firstIndex(of: UInt8(ascii: ",")),
            case let head = String(decoding: start[..<comma], as: UTF8.self).lowercased(), head.hasSuffix(base64)
        else { throw .invalid("url", "The data URL must contain base64.") }
        let type = String(head.dropFirst("data:".count).dropLast(base64.count))
        let recording = Upload(
            room: limit, headerless: HeaderlessAudio.format(contentType: type, fileExtension: nil))
        var decoder = Base64Decoder()
        var position = comma + 1
        while position < url.count {
            let block = try url.bytes(position..<(position + blockBytes))
            var bytes: [UInt8] = []
            bytes.reserveCapacity(block.count / 4 * 3 + 3)
            decoder.append(block[...]) { bytes.append($0) }
            guard recording.count + bytes.count <= limit else { throw .tooLarge(limit: limit, param: "url") }
            try recording.append(bytes)
            position += block.count
        }
        var rest: [UInt8] = []
        decoder.finish { rest.append($0) }
        try recording.append(rest)
        guard decoder.isValid else { throw .invalid("url", "The data URL is not valid base64.") }
        guard recording.count > 0 else {
            throw .invalid("url", "The file is empty. Record again.", code: "invalid_audio")
        }
        recording.finish()
        return recording
    }
}
