/// Bytes that should be UTF-8.
package enum UTF8Text {
    /// The offset of the first byte that is not valid, or `nil`.
    package static func firstInvalidByte(_ bytes: ArraySlice<UInt8>) -> Int? {
        var offset = 0
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }
}
