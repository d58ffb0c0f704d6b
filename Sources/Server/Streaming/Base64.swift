/// Encodes base64 (RFC 4648). `Base64Decoder` decodes it.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes in the URL-safe alphabet, without padding.
    static func addressText(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for digit in 0...group.count {
                switch alphabet[Int(bits >> UInt32(18 - 6 * digit) & 63)] {
                case UInt8(ascii: "+"): text.append(UInt8(ascii: "-"))
                case UInt8(ascii: "/"): text.append(UInt8(ascii: "_"))
                case let character: text.append(character)
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
