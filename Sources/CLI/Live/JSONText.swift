/// Values as JSON writes them.
enum JSONText {
    /// In quotes; what JSON does not allow in a string is escaped, all else stays as it is.
    static func string(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\0"..<" ", "\u{7f}"..<"\u{a0}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    static func string(_ text: String?) -> String { text.map { string($0) } ?? "null" }

    /// Three decimals at most; `null` for what is no number.
    static func number(_ value: Double, decimals: Double = 1000) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "null" }
        let rounded = (value * decimals).rounded() / decimals
        return rounded == 0 ? "0.0" : "\(rounded)"
    }

    static func object(_ members: [(key: String, value: String)]) -> String {
        "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }
}
