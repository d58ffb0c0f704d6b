import WhisperEngine

/// How option values are written: booleans, numbers and text, independent of the locale.
package enum ValueSyntax {
    /// `true` or `false` in any case, as on openai-whisper's command line; `nil` for anything else.
    package static func boolean(_ bytes: [UInt8]) -> Bool? {
        switch lowercased(bytes) {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// Whether the value is Python's `None`, in any case.
    package static func isNone(_ bytes: [UInt8]) -> Bool { lowercased(bytes) == "none" }

    /// A whole number: an optional sign and ASCII digits, nothing else.
    package static func integer(_ bytes: [UInt8]) -> Int? {
        var rest = bytes[...]
        dropSign(&rest)
        guard !rest.isEmpty, rest.allSatisfy(isDigit) else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self))
    }

    /// A decimal number with a point, optionally with an exponent: no hexadecimal, `nan`, `inf` or overflow.
    package static func decimal(_ bytes: [UInt8]) -> Double? {
        var rest = bytes[...]
        dropSign(&rest)
        let whole = dropDigits(&rest)
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = dropDigits(&rest)
        }
        guard whole + fraction > 0 else { return nil }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            dropSign(&rest)
            guard dropDigits(&rest) > 0 else { return nil }
        }
        guard rest.isEmpty, let value = Double(normalized(bytes)), value.isFinite else { return nil }
        return value
    }

    /// Whether the value would be a number if its only comma were a point: `0,5`.
    package static func hasDecimalComma(_ bytes: [UInt8]) -> Bool {
        bytes.count { $0 == UInt8(ascii: ",") } == 1
            && decimal(bytes.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }) != nil
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// - Throws: the position of the first invalid byte, counted from 1.
    static func utf8(_ bytes: [UInt8], option: String) throws(UsageError) -> String {
        if let offset = UTF8Text.firstInvalidByte(bytes[...]) { throw .notUTF8(option: option, byte: offset + 1) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func dropSign(_ rest: inout ArraySlice<UInt8>) {
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    }

    /// - Returns: the number of digits removed.
    private static func dropDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
        let count = rest.prefix(while: isDigit).count
        rest.removeFirst(count)
        return count
    }

    /// `Double` requires a digit on both sides of the point.
    private static func normalized(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "."), index == 0 || !isDigit(bytes[index - 1]) { text.append(UInt8(ascii: "0")) }
            text.append(byte)
            if byte == UInt8(ascii: "."), index + 1 == bytes.count || !isDigit(bytes[index + 1]) {
                text.append(UInt8(ascii: "0"))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func lowercased(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
