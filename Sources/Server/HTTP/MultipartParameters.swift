/// A header value with parameters, such as `form-data; name="file"; filename="a.wav"`.
struct MultipartParameters {
    struct Parameter {
        /// In lower case.
        let name: String
        /// Without quotes and escapes.
        let value: [UInt8]
    }

    /// The part before the first semicolon, in lower case.
    let value: String
    let parameters: [Parameter]

    /// `nil` if the value is malformed.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let head = Self.trimmed(rest.prefix { $0 != Self.semicolon })
        guard let value = String(validating: head, as: UTF8.self) else { return nil }
        self.value = value.lowercased()
        rest = rest.drop { $0 != Self.semicolon }
        var parameters: [Parameter] = []
        while rest.first == Self.semicolon {
            rest = rest.dropFirst().drop(while: Self.isBlank)
            if rest.isEmpty || rest.first == Self.semicolon { continue }
            let name = rest.prefix(while: HTTPLine.isToken)
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { return nil }
            rest = rest.dropFirst()
            guard let value = Self.takeValue(from: &rest) else { return nil }
            parameters.append(Parameter(name: String(decoding: name, as: UTF8.self).lowercased(), value: value))
        }
        guard rest.isEmpty else { return nil }
        self.parameters = parameters
    }

    /// All values of a parameter.
    subscript(name: String) -> [[UInt8]] { parameters.filter { $0.name == name }.map(\.value) }

    /// Consumes a value and the blanks after it.
    private static func takeValue(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.first == UInt8(ascii: "\"") else {
            let value = trimmed(rest.prefix { $0 != semicolon })
            rest = rest.drop { $0 != semicolon }
            return Array(value)
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                rest = rest.drop(while: isBlank)
                return rest.isEmpty || rest.first == semicolon ? value : nil
            }
            // Some clients write `C:\path` without escaping, so a backslash before any other character is one.
            if byte == UInt8(ascii: "\\"), let next = rest.first, next == UInt8(ascii: "\"") || next == byte {
                value.append(next)
                rest = rest.dropFirst()
            } else {
                value.append(byte)
            }
        }
        return nil
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    /// Replaces `%22` and the like; what is not a percent sign with two hexadecimal digits stays.
    static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
                let high = PercentCoding.digit(bytes[position + 1]), let low = PercentCoding.digit(bytes[position + 2])
            {
                decoded.append(high << 4 | low)
                position += 3
            } else {
                decoded.append(bytes[position])
                position += 1
            }
        }
        return decoded
    }

    private static let semicolon = UInt8(ascii: ";")
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
