import WhisperEngine

/// A color for each speaker's name.
struct SpeakerColors: Sendable {
    /// In the 256-color palette, legible on light and dark.
    private static let palette = [33, 166, 71, 134, 37, 172, 168, 69]

    private var names: [String] = []

    static func color(of number: Int) -> Int { palette[number % palette.count] }

    /// A number for each name, from 0 in the order of their first use; 0 without a name.
    mutating func number(of name: String?) -> Int {
        guard let name else { return 0 }
        if let known = names.firstIndex(of: name) { return known }
        names.append(name)
        return names.count - 1
    }
}
