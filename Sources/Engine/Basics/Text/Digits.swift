/// Numbers in digits, with leading zeros if they have fewer than `width`. The sign is left out.
package enum Digits {
    /// `07`
    package static func decimal(_ number: Int, width: Int = 2) -> String { padded(String(number.magnitude), width) }

    /// `0a`
    package static func hexadecimal(_ number: some UnsignedInteger, width: Int = 2) -> String {
        padded(String(number, radix: 16), width)
    }

    private static func padded(_ digits: String, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
