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
                for unit in scalar.utf16 {
                    let digits = String(unit, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return quoted + "\""
    }

    package static func string(_ text: String?) -> String { text.map { string($0) } ?? "null" }

    /// At most three decimals; `null` if the value is not finite.
    package static func number(_ value: Double, decimals: Double = 1000) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "null" }
        let rounded = (value * decimals).rounded() / decimals
        return rounded == 0 ? "0.0" : "\(rounded)"
    }

    package static func object(_ members: [(key: String, value: String)]) -> String {
        "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    package static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }
}
