/// Finds the id of a byte string: open addressing over the pieces of a vocabulary.
///
/// A `Dictionary` would need an array for each question and a copy of each piece; here the slots hold ids only and the
/// question is a view of the text. Hashing is seeded per process, so no file or text can be made to collide.
struct RankTable: Sendable {
    private let pieces: [[UInt8]]
    /// Id in each slot, `empty` where there is none. Their number is a power of two, at least twice the ids.
    private var slots: [Int32]
    private let longest: Int

    private static let empty: Int32 = -1

    /// - Parameter pieces: piece i has id i; of equal pieces the first counts, empty ones are never found.
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

    /// The id of `bytes`, the lower the earlier they are merged.
    func rank(of bytes: Span<UInt8>) -> Int? {
        guard bytes.count <= longest else { return nil }
        let id = slots[slot(of: bytes)]
        return id == Self.empty ? nil : Int(id)
    }

    /// The slot that holds `bytes` or, if there is none, the empty one where they belong.
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

    /// Eight bytes at a time: feeding a hasher byte by byte costs several times as much.
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
