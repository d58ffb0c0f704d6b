/// Pre-tokenization: splits text into the pieces that are encoded independently, namely words with their leading space,
/// numbers, runs of other symbols, and whitespace.
///
/// A hand-written matcher of GPT-2's pattern, in which the first matching alternative wins:
///
///     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
///
/// Letters are the general categories L*, numbers N*, whitespace is White_Space.
package struct TextPieces: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position = 0

    /// - Parameter bytes: valid UTF-8.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The byte range of the next piece.
    package mutating func next() -> Range<Int>? {
        guard position < bytes.count else { return nil }
        let start = position
        position = contractionEnd(at: start) ?? wordEnd(at: start) ?? whiteSpaceEnd(at: start)
        return start..<position
    }

    private enum Kind {
        case letter, number, whiteSpace, other
    }

    private func contractionEnd(at start: Int) -> Int? {
        guard bytes[start] == UInt8(ascii: "'"), start + 1 < bytes.count else { return nil }
        let second = start + 2 < bytes.count ? bytes[start + 2] : 0
        switch (bytes[start + 1], second) {
        case (UInt8(ascii: "s"), _), (UInt8(ascii: "t"), _), (UInt8(ascii: "m"), _), (UInt8(ascii: "d"), _):
            return start + 2
        case (UInt8(ascii: "r"), UInt8(ascii: "e")), (UInt8(ascii: "v"), UInt8(ascii: "e")),
            (UInt8(ascii: "l"), UInt8(ascii: "l")):
            return start + 3
        default: return nil
        }
    }

    /// The end of a run of letters, numbers or other symbols, with at most one space before it.
    private func wordEnd(at start: Int) -> Int? {
        let first = bytes[start] == UInt8(ascii: " ") ? start + 1 : start
        guard first < bytes.count else { return nil }
        var (kind, end) = scalar(at: first)
        guard kind != .whiteSpace else { return nil }
        while end < bytes.count {
            let (nextKind, nextEnd) = scalar(at: end)
            guard nextKind == kind else { break }
            (kind, end) = (nextKind, nextEnd)
        }
        return end
    }

    /// The end of a run of whitespace. Before a word its last character belongs to the word, unless it is the only one.
    private func whiteSpaceEnd(at start: Int) -> Int {
        var last = start
        var end = start
        while end < bytes.count {
            let (kind, next) = scalar(at: end)
            guard kind == .whiteSpace else { return last > start ? last : end }
            (last, end) = (end, next)
        }
        return end
    }

    /// The kind of the character at `start` and where it ends.
    private func scalar(at start: Int) -> (kind: Kind, end: Int) {
        let lead = bytes[start]
        if lead < 0x80 { return (Self.kind(ofASCII: lead), start + 1) }
        let width = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
        let end = Swift.min(start + width, bytes.count)
        var value = UInt32(lead) & (0x7f >> UInt32(width))
        for index in (start + 1)..<end { value = value << 6 | UInt32(bytes[index] & 0x3f) }
        return (Unicode.Scalar(value).map(Self.kind(of:)) ?? .other, end)
    }

    private static func kind(ofASCII byte: UInt8) -> Kind {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): .letter
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        case UInt8(ascii: " "), 0x09...0x0d: .whiteSpace
        default: .other
        }
    }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: .letter
        case .decimalNumber, .letterNumber, .otherNumber: .number
        default: scalar.properties.isWhitespace ? .whiteSpace : .other
        }
    }
}
