/// The self-attention keys and values of one layer, and the slots that each query row sees.
package struct CachedAttention {
    /// `[slots, n]`
    package let keys: Tensor
    /// `[slots, n]`
    package let values: Tensor
    /// For each query row, the slots of its positions in order; the row sees the first `counts[row]` of them.
    package let histories: [[Int32]]
    package let counts: [Int]

    package init(keys: Tensor, values: Tensor, histories: [[Int32]], counts: [Int]) {
        self.keys = keys
        self.values = values
        self.histories = histories
        self.counts = counts
    }
}

/// The storage format of a window's keys and values.
package enum CachePrecision: Sendable {
    case float32
    case float16

    /// The bytes of a number.
    package var bytes: Int {
        switch self {
        case .float32: MemoryLayout<Float>.stride
        case .float16: MemoryLayout<UInt16>.stride
        }
    }
}

/// The cross-attention keys and values of one layer and window.
package struct CrossAttentionCache: Sendable {
    /// `[heads, d, paddedPositions]`: transposed, so that scores are sums of whole rows. Empty if `half` is used.
    package let keys: Tensor
    /// `[heads, positions, d]`. Empty if `half` is used.
    package let values: Tensor
    package let heads: Int
    /// The maximum number of positions.
    package let capacity: Int
    package private(set) var positions: Int
    let headSize: Int
    /// The keys and values in float16.
    let half: Half?
    /// Which cache the last positions were copied from, and the first of them.
    private var rest: (cache: ObjectIdentifier, start: Int)?

    /// Keys as `[heads, blocks of 32 positions, d, 32]`, values as `[heads, positions, d]`.
    package struct Half: Sendable {
        let keys: MemoryBlock
        let values: MemoryBlock
    }

    package init(
        heads: Int, positions: Int, headSize: Int, precision: CachePrecision = .float32, in arena: WeightArena? = nil
    ) throws(ComputeError) {
        self.heads = heads
        self.positions = positions
        capacity = positions
        self.headSize = headSize
        let keyCount = heads * headSize * Self.padded(positions), valueCount = heads * positions * headSize
        if precision == .float16 {
            keys = try Tensor(count: 0)
            values = keys
            half = Half(
                keys: try Self.block(2 * keyCount, in: arena), values: try Self.block(2 * valueCount, in: arena))
        } else {
            keys = Tensor(try Self.block(MemoryLayout<Float>.stride * keyCount, in: arena))
            values = Tensor(try Self.block(MemoryLayout<Float>.stride * valueCount, in: arena))
            half = nil
        }
    }

    private static func block(_ bytes: Int, in arena: WeightArena?) throws(ComputeError) -> MemoryBlock {
        if let arena { return try arena.block(count: bytes) }
        return try MemoryBlock(count: bytes)
    }

    /// Changes the number of positions, at most `capacity`, without allocating. The cache must then be filled again.
    ///
    /// - Parameter keepsEnd: whether only positions before those that `end` has copied will be filled.
    package mutating func resize(positions: Int, keepsEnd: Bool = false) {
        precondition(positions > 0 && positions <= capacity, "\(positions) positions of \(capacity)")
        if positions != self.positions || !keepsEnd { rest = nil }
        self.positions = positions
    }

    /// Copies the keys and values of a cache with as many positions, from one on, a multiple of 32. Those that a cache has
    /// from there on already are not copied again.
    package mutating func end(with other: CrossAttentionCache, from start: Int) {
        precondition(
            other.positions == positions && other.heads == heads && other.headSize == headSize
                && (other.half == nil) == (half == nil) && start % Self.step == 0 && start <= positions,
            "\(other.positions) positions of \(other.heads) heads, from \(start) on")
        let id = other.half.map { ObjectIdentifier($0.keys) } ?? ObjectIdentifier(other.keys)
        let end = rest.flatMap { $0.cache == id ? $0.start : nil } ?? positions
        if start < end {
            if let half, let otherHalf = other.half {
                for head in 0..<heads {
                    let keys = head * headSize * paddedPositions, values = head * headSize * positions
                    // The last keys of an incomplete block are padding.
                    let last = end == positions ? paddedPositions : end
                    half.keys.copy(
                        otherHalf.keys, 2 * (keys + start * headSize)..<2 * (keys + last * headSize))
                    half.values.copy(
                        otherHalf.values, 2 * (values + start * headSize)..<2 * (values + end * headSize))
                }
            } else {
                for head in 0..<heads {
                    for row in (head * headSize)..<((head + 1) * headSize) {
                        let at = row * paddedPositions + start
                        keys.copy(other.keys, from: at, count: end - start, at: at)
                    }
                    let at = (head * positions + start) * headSize
                    values.copy(other.values, from: at, count: (end - start) * headSize, at: at)
                }
            }
        }
        rest = (id, start)
    }

    /// The number of positions rounded up to a multiple of `step`.
    var paddedPositions: Int { Self.padded(positions) }

    private static func padded(_ positions: Int) -> Int { (positions + step - 1) / step * step }

    /// How many positions kernels process at a time.
    package static let step = 32
}
