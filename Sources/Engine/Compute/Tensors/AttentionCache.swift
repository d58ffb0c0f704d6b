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

    /// Keys as `[heads, blocks of 32 positions, d, 32]`, values as `[heads, positions, d]`.
    package struct Half: Sendable {
        let keys: MemoryBlock
        let values: MemoryBlock
    }

    package init(
        heads: Int, positions: Int, headSize: Int, precision: CachePrecision = .float32
    ) throws(ComputeError) {
        self.heads = heads
        self.positions = positions
        capacity = positions
        self.headSize = headSize
        let keyCount = heads * headSize * Self.padded(positions), valueCount = heads * positions * headSize
        if precision == .float16 {
            keys = try Tensor(count: 0)
            values = keys
            half = Half(keys: try MemoryBlock(count: 2 * keyCount), values: try MemoryBlock(count: 2 * valueCount))
        } else {
            keys = try Tensor(count: keyCount)
            values = try Tensor(count: valueCount)
            half = nil
        }
    }

    /// Changes the number of positions, at most `capacity`, without allocating. The cache must then be filled again.
    package mutating func resize(positions: Int) {
        precondition(positions > 0 && positions <= capacity, "\(positions) positions of \(capacity)")
        self.positions = positions
    }

    /// The number of positions rounded up to a multiple of 32, which kernels process at a time.
    var paddedPositions: Int { Self.padded(positions) }

    private static func padded(_ positions: Int) -> Int { (positions + 31) / 32 * 32 }
}
