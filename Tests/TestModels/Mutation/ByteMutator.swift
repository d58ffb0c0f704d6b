import EngineBasics

/// Mutates bytes with the help of a layout.
struct ByteMutator {
    /// Boundary values for arithmetic.
    static let numbers: [Int] = [
        0, 1, 2, 3, 4, 5, 8, 15, 16, 31, 32, 33, 64, 79, 80, 127, 128, 129, 200, 201, 255, 256, 1499, 1500, 4095, 4096,
        4097, 8192, 0x7fff, 0x8000, 0xffff, 0x10000, 51_863, 51_864, 51_865, 51_866, 99_999, 100_000, 1 << 24, 1 << 30,
        0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 1 << 32, 1 << 40, 1 << 62, .max, .min, -2, -1,
    ]

    /// Mutates a file between one and five times.
    ///
    /// - Parameter other: a file of the same kind to splice in.
    static func mutate(
        _ bytes: inout [UInt8], _ layout: FileLayout, other: (bytes: [UInt8], layout: FileLayout),
        using draws: inout SplitMix64
    ) {
        // Changes that keep the length come first, because they need the layout.
        for _ in 0..<draws.below(4) { replace(&bytes, layout, using: &draws) }
        if draws.oneIn(3) {
            if draws.oneIn(2), !layout.records.isEmpty {
                restructure(&bytes, layout, using: &draws)
            } else {
                resize(&bytes, layout, other: other, using: &draws)
            }
        }
    }

    /// Overwrites a field or a byte.
    private static func replace(_ bytes: inout [UInt8], _ layout: FileLayout, using draws: inout SplitMix64) {
        guard let field = draws.element(layout.fields), field.range.upperBound <= bytes.count else { return }
        let at = field.range.lowerBound + draws.below(field.range.count)
        switch draws.below(8) {
        case 0: bytes[at] = UInt8(draws.below(256))
        case 1: bytes[at] ^= 1 << UInt8(draws.below(8))
        case 2:
            // The value of another field, such as another tensor's name.
            let alike = layout.fields.filter { $0.range.count == field.range.count && $0.isText == field.isText }
            if let from = draws.element(alike), from.range.upperBound <= bytes.count {
                bytes.replaceSubrange(field.range, with: Array(bytes[from.range]))
            }
        case 3 where !field.isText:
            // A neighbor of the present value.
            let value = bytes[field.range].reversed().reduce(0) { $0 << 8 | Int($1) }
            bytes.set(value &+ draws.below(5) &- 2, field.range)
        case 4 where !field.isText: bytes.set(draws.oneIn(2) ? bytes.count : bytes.count - at, field.range)
        case _ where field.isText: bytes[at] = draws.oneIn(2) ? 0 : UInt8(0x20 + draws.below(0x5f))
        default: bytes.set(draws.element(numbers) ?? 0, field.range)
        }
    }

    /// Deletes, repeats or exchanges records, mostly with their number adjusted.
    private static func restructure(_ bytes: inout [UInt8], _ layout: FileLayout, using draws: inout SplitMix64) {
        guard let record = draws.element(layout.records), record.upperBound <= bytes.count else { return }
        var change = 0
        switch draws.below(3) {
        case 0:
            bytes.removeSubrange(record)
            change = -1
        case 1:
            bytes.insert(contentsOf: Array(bytes[record]), at: record.lowerBound)
            change = 1
        default:
            guard let other = draws.element(layout.records), other.upperBound <= bytes.count, other != record
            else { return }
            let (first, second) = record.lowerBound < other.lowerBound ? (record, other) : (other, record)
            let swapped = bytes[second] + bytes[first.upperBound..<second.lowerBound] + bytes[first]
            bytes.replaceSubrange(first.lowerBound..<second.upperBound, with: Array(swapped))
        }
        guard let count = layout.counts.first, count.upperBound <= record.lowerBound, !draws.oneIn(5) else { return }
        let number = bytes[count].reversed().reduce(0) { $0 << 8 | Int($1) }
        bytes.set(number + change, count)
    }

    /// Cuts, extends or splices the file, often at the boundaries of fields.
    static func resize(
        _ bytes: inout [UInt8], _ layout: FileLayout, other: (bytes: [UInt8], layout: FileLayout),
        using draws: inout SplitMix64
    ) {
        func position(_ bytes: [UInt8], _ layout: FileLayout, _ draws: inout SplitMix64) -> Int {
            let field = draws.element(layout.fields)?.range.lowerBound ?? 0
            let at = draws.oneIn(3) ? draws.below(bytes.count + 1) : field + draws.below(3) - 1
            return max(0, min(bytes.count, at))
        }
        let at = position(bytes, layout, &draws)
        switch draws.below(5) {
        case 0: bytes.removeLast(bytes.count - at)
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + 1 + draws.below(16)))
        case 2: bytes.insert(contentsOf: (0..<(1 + draws.below(16))).map { _ in UInt8(draws.below(256)) }, at: at)
        case 3:
            let end = min(bytes.count, at + 1 + draws.below(200))
            bytes.insert(contentsOf: Array(bytes[at..<end]), at: position(bytes, layout, &draws))
        default:
            let from = position(other.bytes, other.layout, &draws)
            bytes = Array(bytes[..<at] + other.bytes[from...])
        }
    }
}

extension SplitMix64 {
    /// A number from 0 to `limit - 1`; 0 if there is none.
    mutating func below(_ limit: Int) -> Int { limit <= 1 ? 0 : Int(next() % UInt64(limit)) }

    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func element<Elements: RandomAccessCollection>(_ elements: Elements) -> Elements.Element? {
        guard !elements.isEmpty else { return nil }
        return elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
    }
}

extension [UInt8] {
    /// Writes the low bytes of a number, little-endian.
    mutating func set(_ number: Int, _ range: Range<Int>) {
        for (index, at) in range.enumerated() {
            self[at] = UInt8(truncatingIfNeeded: index < 8 ? number >> (8 * index) : 0)
        }
    }
}
