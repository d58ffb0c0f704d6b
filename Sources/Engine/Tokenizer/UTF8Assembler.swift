/// Text from UTF-8 that arrives in pieces cut anywhere.
///
/// Gives out what is complete and holds back an incomplete character until the next piece. All that was given out,
/// joined, equals `String(decoding:)` of all bytes: U+FFFD for each maximal part that is no character (Unicode
/// Standard 3.9, "Substitution of Maximal Subparts").
package struct UTF8Assembler: Hashable, Sendable {
    /// The beginning of a character, at most three bytes.
    package private(set) var pending: [UInt8] = []

    package init() {}

    /// The text that `bytes` complete.
    package mutating func append(_ bytes: [UInt8]) -> String {
        let all = pending + bytes
        let complete = all.count - Self.incompleteLength(all)
        pending = Array(all[complete...])
        return String(decoding: all[..<complete], as: UTF8.self)
    }

    /// What was never completed: U+FFFD or nothing. The assembler is then as new.
    package mutating func finish() -> String {
        defer { pending = [] }
        return String(decoding: pending, as: UTF8.self)
    }

    /// Number of bytes at the end that begin a character and could still complete it.
    private static func incompleteLength(_ bytes: [UInt8]) -> Int {
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

    /// No overlong forms, no surrogates, nothing above U+10FFFF: all decided by the second byte.
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
