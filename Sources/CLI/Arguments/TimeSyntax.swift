/// Times on the command line and in messages: seconds (`90`, `12.5`) or `[hh:]mm:ss[.mmm]`.
package enum TimeSyntax {
    /// The accepted forms, for messages.
    static let rule = "seconds or [hh:]mm:ss[.mmm], such as 90, 12.5 or 1:02:03.5"

    /// Parses a time into seconds. Returns `nil` if it is malformed or negative, or if a field after a colon is 60 or
    /// more.
    package static func seconds(_ bytes: [UInt8]) -> Double? {
        let fields = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Array.init)
        if fields.count == 1 {
            guard let seconds = ValueSyntax.decimal(bytes), seconds >= 0 else { return nil }
            return seconds
        }
        guard fields.count <= 3, let last = fields.last, let first = last.first, ValueSyntax.isDigit(first),
            !last.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }),
            let seconds = ValueSyntax.decimal(last), seconds < 60
        else { return nil }
        var whole = 0
        for (index, field) in fields.dropLast().enumerated() {
            guard (1...6).contains(field.count), field.allSatisfy(ValueSyntax.isDigit),
                let value = ValueSyntax.integer(field), index == 0 || value < 60
            else { return nil }
            whole = whole * 60 + value
        }
        return Double(whole * 60) + seconds
    }
}
