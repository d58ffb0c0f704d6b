/// Writes JSON without whitespace.
package enum JSONText {
    /// The text in quotes, with control characters escaped.
    ///
    /// - Parameter asciiOnly: whether everything beyond ASCII is escaped too, above U+FFFF as a surrogate pair.
    package static func string(_ text: String, asciiOnly: Bool = false) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{8}": quoted += "\\b"
            case "\t": quoted += "\\t"
            case "\n": quoted += "\\n"
            case "\u{c}": quoted += "\\f"
            case "\r": quoted += "\\r"
            case " "..."~": quoted.unicodeScalars.append(scalar)
            case "\u{a0}"... where !asciiOnly: quoted.unicodeScalars.append(scalar)
            default:
                for unit in scalar.utf16 { quoted += "\\u" + Digits.hexadecimal(unit, width: 4) }
            }
        }
        return quoted + "\""
    }

    /// The text in quotes, or `null`.
    package static func string(_ text: String?) -> String { text.map { string($0) } ?? "null" }

    /// At most three decimals; `null` if the value is not finite.
    package static func number(_ value: Double, decimals: Double = 1000) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "null" }
        let rounded = (value * decimals).rounded() / decimals
        return rounded == 0 ? "0.0" : "\(rounded)"
    }

    /// - Parameter members: keys, which must not need escaping, and values that are already JSON.
    package static func object(_ members: [(key: String, value: String)]) -> String {
        "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    /// - Parameter elements: values that are already JSON.
    package static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }
}

/// Formats numbers and strings exactly as Python's `json.dumps` does.
package enum PythonJSON {
    /// Python's `repr(float)`: the shortest decimal that reads back as the same number, in exponent form below 1e-4 and
    /// from 1e16, always with a decimal point or an exponent.
    package static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        let (digits, point) = shortestDigits(of: value.magnitude)
        return (value.sign == .minus ? "-" : "") + formatted(digits, point: point)
    }

    /// The text in quotes, with everything except printable ASCII escaped (Python's `ensure_ascii`).
    package static func string(_ text: String) -> String { JSONText.string(text, asciiOnly: true) }

    /// The significant digits without leading or trailing zeros, and the position of the decimal point relative to the
    /// first of them (`0.00015` → `15`, −3). Zero is `0`, 1.
    private static func shortestDigits(of value: Double) -> (digits: [UInt8], point: Int) {
        // Swift's description has the same shortest digits; only the layout differs from Python's.
        let parts = value.description.utf8.split(separator: UInt8(ascii: "e"))
        let mantissa = parts.first.map(Array.init) ?? []
        let exponent = parts.count > 1 ? Int(String(Substring(parts[1]))) ?? 0 : 0
        let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
        let fraction = mantissa.dropFirst(whole.count + 1)
        let all = whole + fraction
        let zero = UInt8(ascii: "0")
        let leading = all.prefix { $0 == zero }.count
        if leading == all.count { return ([zero], 1) }
        var digits = Array(all.dropFirst(leading))
        while digits.last == zero { digits.removeLast() }
        return (digits, whole.count - leading + exponent)
    }

    private static func formatted(_ digits: [UInt8], point: Int) -> String {
        let text = String(decoding: digits, as: UTF8.self)
        if point > 16 || point < -3 {
            let exponent = point - 1
            let fraction = digits.count > 1 ? "." + text.dropFirst() : ""
            return String(text.prefix(1)) + fraction + (exponent < 0 ? "e-" : "e+") + Digits.decimal(exponent)
        }
        if point <= 0 { return "0." + String(repeating: "0", count: -point) + text }
        if point >= digits.count { return text + String(repeating: "0", count: point - digits.count) + ".0" }
        return "\(text.prefix(point)).\(text.dropFirst(point))"
    }
}
