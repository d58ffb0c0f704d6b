/// How sizes are written on the command line: a whole number of bytes, or with a unit, such as `100MiB`, `100M` or `1G`.
enum SizeSyntax {
    private static let units: [String: Int] = ["": 0, "b": 0, "k": 10, "m": 20, "g": 30, "t": 40]

    /// - Returns: `nil` if it is not a size below an exbibyte.
    static func bytes(_ value: [UInt8]) -> Int? {
        let text = String(decoding: value, as: UTF8.self).lowercased()
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        var unit = String(text.dropFirst(digits.count))
        for ending in ["ib", "b"] where unit.count > ending.count && unit.hasSuffix(ending) {
            unit.removeLast(ending.count)
            break
        }
        guard let number = Int(digits), let shift = units[unit], number <= (1 << 60) >> shift else { return nil }
        return number << shift
    }
}
