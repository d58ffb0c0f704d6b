/// A hash table with open addressing that maps byte strings to their numbers, which count from 0.
///
/// A `Dictionary` would need an array for each string and each lookup; here all strings are in one array, and lookups take a
/// span. Hashing is seeded per process, so no file or text can be crafted to collide.
package struct ByteStringTable: Sendable {
    /// All strings, concatenated.
    private var bytes: [UInt8] = []
    /// Where each string ends in `bytes`.
    private var ends: [Int] = []
    /// The number in each slot, or `empty`. The number of slots is a power of two, at least twice the number of strings.
    private var slots: [Int32]
    /// The length of the longest string.
    private var longest = 0

    private static let empty: Int32 = -1

    /// - Parameter capacity: the number of strings for which the table need not grow.
    package init(capacity: Int = 8) {
        var size = 2
        while size < 2 * capacity { size *= 2 }
        slots = Array(repeating: Self.empty, count: size)
        ends.reserveCapacity(capacity)
    }

    /// Adds a string under the next number. The first of several equal strings is the one that is found.
    ///
    /// - Returns: whether it is the first.
    @discardableResult
    package mutating func add(_ string: Span<UInt8>) -> Bool {
        if 2 * (ends.count + 1) > slots.count { grow() }
        let slot = slot(of: string), isFirst = slots[slot] == Self.empty
        if isFirst { slots[slot] = Int32(truncatingIfNeeded: ends.count) }
        for index in string.indices { bytes.append(string[index]) }
        ends.append(bytes.count)
        longest = max(longest, string.count)
        return isFirst
    }

    /// The number of a string; `nil` if it was not added.
    package func number(of string: Span<UInt8>) -> Int? {
        guard string.count <= longest else { return nil }
        let number = slots[slot(of: string)]
        return number == Self.empty ? nil : Int(number)
    }

    private mutating func grow() {
        let old = slots.filter { $0 != Self.empty }
        slots = Array(repeating: Self.empty, count: 2 * slots.count)
        for number in old { slots[slot(of: bytes.span.extracting(range(of: Int(number))))] = number }
    }

    private func range(of number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

    /// The slot that contains a string, or the empty slot where it would be inserted.
    private func slot(of string: Span<UInt8>) -> Int {
        let mask = slots.count - 1
        var slot = Self.hash(of: string) & mask
        while slots[slot] != Self.empty, !isEqual(Int(slots[slot]), string) { slot = (slot + 1) & mask }
        return slot
    }

    private func isEqual(_ number: Int, _ string: Span<UInt8>) -> Bool {
        let range = range(of: number)
        guard range.count == string.count else { return false }
        for index in string.indices where bytes[range.lowerBound + index] != string[index] { return false }
        return true
    }

    private static let seed = UInt64.random(in: 0...UInt64.max)
    private static let factor = UInt64.random(in: 0...UInt64.max) | 1

    /// Eight bytes at a time: the halves of their product with a secret factor, combined. This is several times as fast as
    /// the standard library's hashing, which counts for vocabularies of 50,000 short strings.
    private static func hash(of bytes: Span<UInt8>) -> Int {
        var state = seed ^ UInt64(bytes.count), word: UInt64 = 0
        func mix() {
            let (high, low) = (state ^ word).multipliedFullWidth(by: factor)
            state = high ^ low
        }
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index & 7 == 7 {
                mix()
                word = 0
            }
        }
        mix()
        word = seed
        mix()
        return Int(truncatingIfNeeded: state & UInt64(Int.max))
    }
}
