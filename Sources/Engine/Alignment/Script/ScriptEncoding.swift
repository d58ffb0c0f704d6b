import EngineBasics

/// Bytes as text: UTF-8, or UTF-16 with a byte order mark, as Windows programs write subtitles.
enum ScriptEncoding {
    static func text(of bytes: [UInt8]) throws(AlignmentScriptError) -> String {
        if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
            let high = bytes[0] == 0xfe ? 0 : 1
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
                UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + 1 - high])
            }
            if let zero = units.firstIndex(of: 0) { throw .notText(byte: 2 + 2 * zero) }
            return String(decoding: units, as: UTF16.self)
        }
        let mark = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
        if let zero = bytes.firstIndex(of: 0) { throw .notText(byte: zero) }
        if let byte = UTF8Text.firstInvalidByte(bytes[mark...]) { throw .notText(byte: mark + byte) }
        return String(decoding: bytes[mark...], as: UTF8.self)
    }
}
