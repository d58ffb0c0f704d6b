/// Keys and values of self-attention of one layer, and who sees which of them.
package struct CachedAttention {
    /// `[slots, n]`
    package let keys: Tensor
    /// `[slots, n]`
    package let values: Tensor
    /// For each query row slots of positions in order; the row sees the first `counts[row]` of them.
    package let histories: [[Int32]]
    package let counts: [Int]

    package init(keys: Tensor, values: Tensor, histories: [[Int32]], counts: [Int]) {
        self.keys = keys
        self.values = values
        self.histories = histories
        self.counts = counts
    }
}

/// How keys and values of a window are kept.
package enum CachePrecision: Sendable {
    case float32
    case float16
}

/// Keys and values of cross-attention of one layer and window.
package struct CrossAttentionCache: Sendable {
    /// `[heads, d, paddedPositions]`: transposed, so that scores are sums of whole rows. Empty with `half`.
    package let keys: Tensor
    /// `[heads, positions, d]`. Empty with `half`.
    package let values: Tensor
    package let heads: Int
    /// Most positions that it can hold.
    package let capacity: Int
    package private(set) var positions: Int
    let headSize: Int
    /// The same in 16 bits.
    let half: Half?

    /// Keys as `[heads, blocks of 32 positions, d, 32]`, values as `[heads, positions, d]`.
    struct Half: Sendable {
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

    /// Makes room for a window of so many positions, which is then to be filled in; takes no memory.
    package mutating func hold(positions: Int) {
        precondition(positions > 0 && positions <= capacity, "\(positions) positions of \(capacity)")
        self.positions = positions
    }

    /// Kernels take 32 positions at a time.
    package var paddedPositions: Int { Self.padded(positions) }

    private static func padded(_ positions: Int) -> Int { (positions + 31) / 32 * 32 }
}
