/// Numbers and strings exactly as Python's `json.dumps` writes them.
enum PythonJSON {
    /// Python's `repr(float)`: the shortest decimal that reads back as the same number, in exponent form below 1e-4 and
    /// from 1e16 on, always with a point or an exponent.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        let (digits, point) = shortestDigits(of: value.magnitude)
        return (value.sign == .minus ? "-" : "") + layOut(digits, point: point)
    }

    /// With everything but printable ASCII escaped (Python's `ensure_ascii`).
    static func string(_ text: String) -> String { JSONText.string(text, asciiOnly: true) }

    /// Significant digits without zeros at either end, and how many of them stand before the decimal point
    /// (`0.00015` → `15`, −3). Zero is `0`, 1.
    private static func shortestDigits(of value: Double) -> (digits: [UInt8], point: Int) {
        // The standard library finds the shortest digits too; only its layout differs from Python's.
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

    private static func layOut(_ digits: [UInt8], point: Int) -> String {
        let text = String(decoding: digits, as: UTF8.self)
        if point > 16 || point < -3 {
            let exponent = point - 1
            let size = String(exponent.magnitude)
            let fraction = digits.count > 1 ? "." + text.dropFirst() : ""
            return text.prefix(1) + fraction + (exponent < 0 ? "e-" : "e+") + (size.count < 2 ? "0" + size : size)
        }
        if point <= 0 { return "0." + String(repeating: "0", count: -point) + text }
        if point >= digits.count { return text + String(repeating: "0", count: point - digits.count) + ".0" }
        return text.prefix(point) + "." + text.dropFirst(point)
    }
}
