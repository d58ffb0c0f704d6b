/// Text that must be UTF-8.
enum TextSyntax {
    /// - Throws: the place of the first byte that does not fit, counted from 1.
    static func utf8(_ bytes: [UInt8], option: String) throws(UsageError) -> String {
        if let at = firstInvalidByte(bytes[...]) { throw .notUTF8(option: option, byte: at + 1) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Its offset; `nil` in valid UTF-8.
    static func firstInvalidByte(_ bytes: ArraySlice<UInt8>) -> Int? {
        var at = 0
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): at += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return at
            }
        }
    }
}
