/// Numbers as they may be written on the command line: ASCII digits and a point, nothing around them, whatever the
/// locale. No hexadecimal, no `nan`, no `inf`, nothing too large to hold.
package enum NumberSyntax {
    package static func integer(_ bytes: [UInt8]) -> Int? {
        var rest = bytes[...]
        if let sign = rest.first, isSign(sign) { rest.removeFirst() }
        guard !rest.isEmpty, rest.allSatisfy(isDigit) else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self))
    }

    package static func decimal(_ bytes: [UInt8]) -> Double? {
        var rest = bytes[...]
        if let sign = rest.first, isSign(sign) { rest.removeFirst() }
        let whole = takeDigits(&rest)
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = takeDigits(&rest)
        }
        guard whole + fraction > 0 else { return nil }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if let sign = rest.first, isSign(sign) { rest.removeFirst() }
            guard takeDigits(&rest) > 0 else { return nil }
        }
        guard rest.isEmpty, let value = Double(normalized(bytes)), value.isFinite else { return nil }
        return value
    }

    /// `0,5`: a number but for its comma.
    package static func hasDecimalComma(_ bytes: [UInt8]) -> Bool {
        bytes.count { $0 == UInt8(ascii: ",") } == 1
            && decimal(bytes.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }) != nil
    }

    /// `-1`, `-.5`: what begins with a dash and is a number all the same.
    package static func isNegativeNumber(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: "-") && decimal(bytes) != nil
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }

    private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
        let digits = rest.prefix(while: isDigit).count
        rest.removeFirst(digits)
        return digits
    }

    /// `Double` wants a digit before and behind the point.
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
}
