/// The kind of a file according to its first bytes; its name does not matter.
package enum FileKind: Equatable, Sendable {
    /// RIFF, RF64 or BW64 with the form `WAVE`.
    case wave
    /// An audio or video format that FFmpeg reads.
    case media
    case playlist
    /// Model weights, with the name of their format.
    case model(String)
    case html
    case xml
    case json
    case text
    case gitLFSPointer
    case pdf
    case zip
    case archive
    case image
    case executable
    case database
    case midi
    case unknown

    /// The number of bytes that `init(head:)` uses.
    static let headBytes = 4096

    /// - Parameter head: the first bytes of the file, up to `headBytes`.
    package init(head: [UInt8]) {
        self = Self.binary(head) ?? Self.text(head) ?? .unknown
    }

    private static func binary(_ head: [UInt8]) -> FileKind? {
        let has = { (text: String, offset: Int) in
            head.count >= offset + text.utf8.count && head[offset...].starts(with: text.utf8)
        }
        let begins = { (bytes: [UInt8]) in head.starts(with: bytes) }
        if has("WAVE", 8), has("RIFF", 0) || has("RF64", 0) || has("BW64", 0) { return .wave }
        if has("RIFF", 0) { return has("WEBP", 8) ? .image : has("AVI ", 8) ? .media : head.count < 12 ? .wave : nil }
        if has("ftyp", 4) {
            let images = ["heic", "heix", "mif1", "msf1", "avif", "avis"]
            return images.contains { has($0, 8) } ? .image : .media
        }
        if begins([0x6c, 0x6d, 0x67, 0x67]) { return .model("ggml") }
        if has("GGUF", 0) { return .model("GGUF") }
        if isSafetensors(head) { return .model("safetensors") }
        // After a version number and the length of the name.
        if has("WhisperSpec\0", 6) { return .model("CTranslate2") }
        if begins([0x50, 0x4b, 3, 4]) { return contains(head, "/data.pkl") ? .model("PyTorch") : .zip }
        if begins([0x80, 2, 0x8a, 0x0a]) { return .model("PyTorch") }
        if ["OggS", "fLaC", "ID3", "FORM", "caff", ".snd", "riff", "MAC ", "wvpk", "TTA1", "DSD ", "#!AMR"]
            .contains(where: { has($0, 0) }) || begins([0x1a, 0x45, 0xdf, 0xa3]) || begins([0x30, 0x26, 0xb2, 0x75])
        {
            return .media
        }
        if has("%PDF-", 0) { return .pdf }
        if begins([0x89, 0x50, 0x4e, 0x47]) || begins([0xff, 0xd8, 0xff]) || has("GIF8", 0)
            || begins([0x49, 0x49, 42, 0])
            || begins([0x4d, 0x4d, 0, 42]) || has("BM", 0) && head.count > 26 && head[14...17] == [40, 0, 0, 0]
        {
            return .image
        }
        if begins([0x7f, 0x45, 0x4c, 0x46]) || isWindowsExecutable(head) { return .executable }
        if begins([0x1f, 0x8b]) || begins([0x28, 0xb5, 0x2f, 0xfd]) || begins([0x37, 0x7a, 0xbc, 0xaf])
            || begins([0xfd, 0x37, 0x7a, 0x58]) || has("BZh", 0) || has("Rar!", 0) || has("ustar", 257)
        {
            return .archive
        }
        if has("SQLite format 3", 0) { return .database }
        if has("MThd", 0) { return .midi }
        return nil
    }

    private static func text(_ head: [UInt8]) -> FileKind? {
        guard isText(head) else { return nil }
        let text = String(decoding: head, as: UTF8.self).lowercased().drop { $0.isWhitespace || $0 == "\u{feff}" }
        let playlists = ["#extm3u", "[playlist]", "<asx", "ffconcat", "v=0", "<smil", "[reference]", "concat:", "<mpd"]
        if playlists.contains(where: text.hasPrefix) { return .playlist }
        if text.hasPrefix("<?xml") {
            return ["<mpd", "<asx", "<smil", "<playlist", "xspf"].contains { text.contains($0) } ? .playlist : .xml
        }
        if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.contains("<html") { return .html }
        if text.hasPrefix("version https://git-lfs") { return .gitLFSPointer }
        if text.hasPrefix("{") || text.hasPrefix("[") { return .json }
        return .text
    }

    /// Valid UTF-8 without control characters other than white space; a character may be cut off at the end.
    private static func isText(_ head: [UInt8]) -> Bool {
        guard head.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || (9...13).contains($0) || $0 == 0x1b }) else { return false }
        let decoded = String(decoding: head, as: UTF8.self).unicodeScalars
        return decoded.dropLast(3).allSatisfy { $0 != "\u{fffd}" } && !head.isEmpty
    }

    /// An eight-byte length below 100 MB, then the start of a JSON object.
    private static func isSafetensors(_ head: [UInt8]) -> Bool {
        guard head.count > 10, head[8] == UInt8(ascii: "{") else { return false }
        let length = head[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return length > 1 && length <= 100_000_000 && [UInt8(ascii: "\""), 0x20, UInt8(ascii: "}")].contains(head[9])
    }

    private static func isWindowsExecutable(_ head: [UInt8]) -> Bool {
        guard head.count > 0x40, head.starts(with: Array("MZ".utf8)) else { return false }
        let offset = Int(head[0x3c]) | Int(head[0x3d]) << 8
        return offset + 4 <= head.count && head[offset...].starts(with: [0x50, 0x45, 0, 0])
    }

    private static func contains(_ head: [UInt8], _ text: String) -> Bool {
        let text = Array(text.utf8)
        guard head.count >= text.count else { return false }
        return (0...(head.count - text.count)).contains { head[$0...].starts(with: text) }
    }
}

extension FileKind: CustomStringConvertible {
    /// The description; `nil` for an unknown format.
    var name: String? { self == .unknown ? nil : description }

    package var description: String {
        switch self {
        case .wave: "a WAV file"
        case .media: "an audio or video file"
        case .playlist: "a playlist"
        case .model(let format): "\(format) weights"
        case .html: "an HTML page"
        case .xml: "an XML file"
        case .json: "a JSON file"
        case .text: "a text file"
        case .gitLFSPointer: "a Git LFS pointer (the file itself was not fetched)"
        case .pdf: "a PDF document"
        case .zip: "a ZIP archive"
        case .archive: "a compressed archive"
        case .image: "an image"
        case .executable: "an executable"
        case .database: "a database"
        case .midi: "a MIDI file"
        case .unknown: "an unknown format"
        }
    }
}
