/// What a linear layer does to its result.
package enum Activation: Sendable {
    case none
    /// x/2 · (1 + erf(x/√2)), the exact form.
    case gelu
}

/// How many rows a weight is multiplied with at a time.
package enum MatrixUse: Sendable {
    /// A whole window: the product is bound by arithmetic.
    case manyRows
    /// A token for each of a few hypotheses: the product is bound by reading the weight.
    case fewRows
}

/// A weight in the layout its backend multiplies fastest.
package protocol PackedMatrix: Sendable {
    /// Rows of the weight: length of the result.
    var outputs: Int { get }
    /// Columns of the weight: length of the input.
    var inputs: Int { get }
}

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

/// Keys and values of cross-attention of one layer and window.
package struct CrossAttentionCache: Sendable {
    /// `[heads, d, paddedPositions]`: transposed, so that scores are sums of whole rows.
    package let keys: Tensor
    /// `[heads, positions, d]`
    package let values: Tensor
    package let heads: Int
    /// Most positions that it can hold.
    package let capacity: Int
    package private(set) var positions: Int

    package init(heads: Int, positions: Int, headSize: Int) throws(ComputeError) {
        self.heads = heads
        self.positions = positions
        capacity = positions
        keys = try Tensor(count: heads * headSize * Self.padded(positions))
        values = try Tensor(count: heads * positions * headSize)
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

/// The arithmetic of the network in coarse steps, each a few per layer. Shapes are `[rows, columns]`, row-major.
package protocol ComputeBackend: AnyObject, Sendable {
    var name: String { get }
    var threads: Int { get }
    /// Format of the products of many rows, never `auto`.
    var computeType: ComputeType { get }

    /// Takes a weight `[outputs, inputs]` for use with `linear`.
    func prepare(_ weight: Tensor, outputs: Int, inputs: Int, for use: MatrixUse) throws -> any PackedMatrix

    /// Copies row `index` of a weight to the elements of `tensor` from `offset` on.
    func copyRow(_ index: Int, of weight: any PackedMatrix, to tensor: Tensor, at offset: Int)

    /// `y = activation(x · wᵀ + bias)`, or `y += x · wᵀ + bias` with `accumulate` (then without activation).
    func linear(
        _ x: TensorView, _ weight: any PackedMatrix, bias: Tensor?, activation: Activation, accumulate: Bool,
        into y: TensorView)

    /// `y = (x − mean) / √(variance + 1e-5) · gain + shift` row by row, biased variance.
    func layerNorm(_ x: TensorView, gain: Tensor, shift: Tensor, into y: TensorView)

    /// `out = softmax(q · kᵀ / √d) · v` for each head of d columns; every query sees every key.
    func attention(queries: TensorView, keys: TensorView, values: TensorView, heads: Int, into out: TensorView)

    /// The same over cached keys and values; each query row sees its own history.
    func attention(queries: TensorView, cache: CachedAttention, heads: Int, into out: TensorView)

    /// The same over a window's keys and values.
    func attention(queries: TensorView, cross: CrossAttentionCache, into out: TensorView)

    /// Scores before softmax, `q · kᵀ / √d`, of one head: `[rows, columns]` with `columns` ≤ positions.
    func crossScores(queries: TensorView, cross: CrossAttentionCache, head: Int, columns: Int) -> [Float]

    /// Puts keys and values `[positions, heads · d]` into the cache's layout.
    func fill(_ cache: CrossAttentionCache, keys: TensorView, values: TensorView)

    /// `x += y`, both `[rows, columns]` without gaps.
    func add(_ y: TensorView, to x: TensorView)
}

extension ComputeBackend {
    package func prepare(_ weight: Tensor, outputs: Int, inputs: Int) throws -> any PackedMatrix {
        try prepare(weight, outputs: outputs, inputs: inputs, for: .manyRows)
    }
}
