/// A hash table with open addressing that maps the pieces of a vocabulary to their IDs.
///
/// A `Dictionary` would need an array for each lookup and a copy of each piece; here the slots contain only IDs, and
/// lookups take a span of the text. Hashing is seeded per process, so no file or text can be crafted to collide.
struct RankTable: Sendable {
    private let pieces: [[UInt8]]
    /// The ID in each slot, or `empty`. The number of slots is a power of two, at least twice the number of IDs.
    private var slots: [Int32]
    /// The length of the longest piece in bytes.
    private let longest: Int

    private static let empty: Int32 = -1

    /// - Parameter pieces: piece i has ID i; the first of several equal pieces wins, and empty ones are skipped.
    init(pieces: [[UInt8]]) {
        self.pieces = pieces
        var size = 2
        while size < pieces.count * 2 { size *= 2 }
        slots = Array(repeating: Self.empty, count: size)
        longest = pieces.reduce(0) { max($0, $1.count) }
        for (id, piece) in pieces.enumerated() where !piece.isEmpty {
            let slot = slot(of: piece.span)
            if slots[slot] == Self.empty { slots[slot] = Int32(truncatingIfNeeded: id) }
        }
    }

    /// The ID of `bytes`, which is also their merge rank; `nil` if they are not a piece.
    func rank(of bytes: Span<UInt8>) -> Int? {
        guard bytes.count <= longest else { return nil }
        let id = slots[slot(of: bytes)]
        return id == Self.empty ? nil : Int(id)
    }

    /// The slot that contains `bytes`, or the empty slot where they would be inserted.
    private func slot(of bytes: Span<UInt8>) -> Int {
        let mask = slots.count - 1
        var slot = Self.hash(of: bytes) & mask
        while slots[slot] != Self.empty, !isEqual(pieces[Int(slots[slot])], bytes) { slot = (slot + 1) & mask }
        return slot
    }

    private func isEqual(_ piece: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        guard piece.count == bytes.count else { return false }
        for index in piece.indices where piece[index] != bytes[index] { return false }
        return true
    }

    /// Combines eight bytes at a time, which is several times as fast as hashing byte by byte.
    private static func hash(of bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index & 7 == 7 {
                hasher.combine(word)
                word = 0
            }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
        return hasher.finalize()
    }
}
