/// Decodes UTF-8 that arrives in chunks split at arbitrary bytes.
///
/// Complete characters are returned at once; an incomplete one is held back until the next chunk. The concatenated
/// results equal `String(decoding:)` of all bytes, with one U+FFFD for each maximal invalid subpart (Unicode Standard
/// 3.9, "Substitution of Maximal Subparts").
package struct UTF8Assembler: Hashable, Sendable {
    /// The start of an incomplete character, at most three bytes.
    package private(set) var pending: [UInt8] = []

    package init() {}

    /// Appends a chunk and returns the text it completes.
    package mutating func append(_ bytes: [UInt8]) -> String {
        let all = pending + bytes
        let complete = all.count - Self.incompleteLength(all)
        pending = Array(all[complete...])
        return String(decoding: all[..<complete], as: UTF8.self)
    }

    /// Returns U+FFFD if a character is incomplete, otherwise an empty string, and resets the assembler.
    package mutating func finish() -> String {
        defer { pending = [] }
        return String(decoding: pending, as: UTF8.self)
    }

    /// Decodes the whole characters in `bytes` and omits all other bytes.
    package static func wholeCharacters(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        var codec = UTF8()
        var rest = bytes.makeIterator()
        while true {
            switch codec.decode(&rest) {
            case .scalarValue(let scalar): text.append(scalar)
            case .error: continue
            case .emptyInput: return String(text)
            }
        }
    }

    /// Whether `byte` only continues a character.
    package static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }

    /// The number of bytes at the end that start a character which further bytes could complete.
    package static func incompleteLength(_ bytes: [UInt8]) -> Int {
        for length in 1...3 where length <= bytes.count {
            let start = bytes.count - length
            switch bytes[start] {
            case 0x80...0xbf: continue
            case let lead: return length < width(of: lead) && secondIsValid(bytes[start...]) ? length : 0
            }
        }
        return 0
    }

    private static func width(of lead: UInt8) -> Int {
        switch lead {
        case 0xc2...0xdf: 2
        case 0xe0...0xef: 3
        case 0xf0...0xf4: 4
        default: 1
        }
    }

    /// Rejects overlong forms, surrogates and values above U+10FFFF, all of which the second byte decides.
    private static func secondIsValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let lead = bytes.first, let second = bytes.dropFirst().first else { return true }
        return switch lead {
        case 0xe0: second >= 0xa0
        case 0xed: second <= 0x9f
        case 0xf0: second >= 0x90
        case 0xf4: second <= 0x8f
        default: true
        }
    }
}
