import WhisperEngine

/// Numbers with one decimal.
enum OneDecimal {
    /// `8.3`, with a point in any locale; a negative number counts as 0.
    static func text(_ value: Double) -> String {
        let tenths = Int((max(0, min(value, 1e9)) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Sizes in bytes as users know them from file managers and download pages.
enum ByteCount {
    /// `78 MB`, `1.53 GB`, or `512 bytes`, with decimal prefixes.
    static func text(_ bytes: Int) -> String {
        switch bytes {
        case ..<1000: return Counted.text(bytes, "byte")
        case ..<999_500: return "\((bytes + 500) / 1000) kB"
        case ..<999_500_000: return "\((bytes + 500_000) / 1_000_000) MB"
        default:
            let hundredths = (bytes + 5_000_000) / 10_000_000
            return "\(hundredths / 100).\(Digits.decimal(hundredths % 100)) GB"
        }
    }
}
