/// The activation function applied to the result of a linear layer.
package enum Activation: Sendable {
    case none
    /// The exact GELU, x/2 · (1 + erf(x/√2)).
    case gelu
}

/// How a weight will be used, which determines its layout.
package enum MatrixUse: Sendable {
    /// Multiplied with a whole window at a time; bound by arithmetic.
    case manyRows
    /// Like `manyRows`, for inputs that come from a GELU: rows of a few large and many small values, of which 8 bits would
    /// keep only the large ones.
    case activatedRows
    /// Multiplied with one token of each of a few hypotheses at a time; bound by memory bandwidth.
    case fewRows
    /// Like `fewRows`, but rows are also looked up, and the top values of the product matter most (`scores`).
    case table
}

/// A weight in the layout that its backend multiplies fastest.
package protocol PackedMatrix: Sendable {
    /// The number of rows of the weight, which is the length of a result row.
    var outputs: Int { get }
    /// The number of columns of the weight, which is the length of an input row.
    var inputs: Int { get }
}

/// The arithmetic of the network as coarse operations, a few per layer. Shapes are `[rows, columns]`, row-major.
///
/// Shapes that do not match the description are programming errors and trap. Results may alias inputs only where
/// stated.
package protocol ComputeBackend: AnyObject, Sendable {
    var name: String { get }
    /// The formats and instructions that multiply many rows, such as `float32 (AVX2 and FMA)`, or the library.
    var kernels: String { get }
    var threads: Int { get }
    /// The number format of many-row products, never `auto`.
    var computeType: ComputeType { get }
    /// The format of cached cross-attention keys and values.
    var cachePrecision: CachePrecision { get }
    /// Whether a row of a many-row product has the same bits whatever the other rows are. Libraries choose their kernels by
    /// the number of rows.
    var hasIndependentRows: Bool { get }

    /// Splits 0..<count into ranges of at least `minimum`, calls `body` for each on any thread, and returns when all
    /// have finished.
    func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void)

    /// Calls `body` with memory for at least `count` elements, with arbitrary content, which other operations reuse.
    func withScratch(_ count: Int, _ body: (Tensor) -> Void)

    /// Prepares a weight for `linear`.
    ///
    /// - Throws: `ComputeError.outOfMemory`, and the errors of `MatrixRows.read`.
    func prepare(_ rows: any MatrixRows, for use: MatrixUse) throws -> any PackedMatrix

    /// Copies row `index` of a weight to `tensor`, starting at element `offset`. 0 ≤ index < outputs.
    func copyRow(_ index: Int, of weight: any PackedMatrix, to tensor: Tensor, at offset: Int)

    /// `y = activation(x · wᵀ + bias)`, or `y += x · wᵀ + bias` with `accumulate`, which excludes an activation.
    ///
    /// - Parameters:
    ///   - x: `[rows, inputs]`; rows may overlap.
    ///   - bias: `[outputs]`, required with GELU.
    ///   - y: `[rows, outputs]`.
    func linear(
        _ x: TensorView, _ weight: any PackedMatrix, bias: Tensor?, activation: Activation, accumulate: Bool,
        into y: TensorView)

    /// `y = x · wᵀ + bias`, or `y += …` with `accumulate`, for the rows of a convolution, which may overlap.
    func convolve(
        _ x: Tensor, _ rows: ConvolutionLayout, _ weight: any PackedMatrix, bias: Tensor?, accumulate: Bool,
        into y: Tensor)

    /// `y = x · wᵀ` for a weight prepared as a table: exact where `needs` requires it and approximate elsewhere; exact
    /// everywhere if `needs` is `nil`. Shapes as in `linear`.
    func scores(_ x: TensorView, _ table: any PackedMatrix, needs: ScoreNeeds?, into y: TensorView)

    /// `y = (x − mean) / √(variance + 1e-5) · gain + shift` for each row, with biased variance.
    ///
    /// x and y are `[rows, columns]` and may be the same; gain and shift are `[columns]`.
    func layerNorm(_ x: TensorView, gain: Tensor, shift: Tensor, into y: TensorView)

    /// `out = softmax(q · kᵀ / √d) · v` for each head of d columns; every query sees every key.
    ///
    /// Queries and out are `[rows, heads · d]`, keys and values `[positions, heads · d]`.
    func attention(queries: TensorView, keys: TensorView, values: TensorView, heads: Int, into out: TensorView)

    /// The same over cached keys and values; query row i sees the slots of `cache.histories[i]`.
    func attention(queries: TensorView, cache: CachedAttention, heads: Int, into out: TensorView)

    /// The same over the keys and values of a window.
    func attention(queries: TensorView, cross: CrossAttentionCache, into out: TensorView)

    /// The same for several windows.
    ///
    /// - Parameters:
    ///   - windows: the number of windows.
    ///   - window: returns the adjacent query rows that attend to a window, and its keys and values.
    func attention(
        queries: TensorView, windows: Int, window: (Int) -> (rows: Range<Int>, cross: CrossAttentionCache),
        into out: TensorView)

    /// The scores of one head before softmax, `q · kᵀ / √d`, as `[rows, columns]` with `columns` ≤ positions.
    func crossScores(queries: TensorView, cross: CrossAttentionCache, head: Int, columns: Int) -> [Float]

    /// Stores keys and values `[positions, heads · d]` in the cache.
    func fill(_ cache: CrossAttentionCache, keys: TensorView, values: TensorView)

    /// `x += y`, both `[rows, columns]` and contiguous.
    func add(_ y: TensorView, to x: TensorView)
}

extension ComputeBackend {
    /// Prepares a weight `[outputs, inputs]` of finite numbers in memory.
    package func prepare(
        _ weight: Tensor, outputs: Int, inputs: Int, for use: MatrixUse = .manyRows
    ) throws -> any PackedMatrix {
        try prepare(TensorRows(weight, outputs: outputs, inputs: inputs), for: use)
    }

    package var kernels: String { name }

    package var cachePrecision: CachePrecision { .float32 }

    package var hasIndependentRows: Bool { false }

    package func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void) { body(0..<count) }

    package func withScratch(_ count: Int, _ body: (Tensor) -> Void) { ScratchPool().with(count, body) }

    package func attention(
        queries: TensorView, windows: Int, window: (Int) -> (rows: Range<Int>, cross: CrossAttentionCache),
        into out: TensorView
    ) {
        for index in 0..<windows {
            let (rows, cross) = window(index)
            attention(queries: queries.slice(rows: rows), cross: cross, into: out.slice(rows: rows))
        }
    }

    package func scores(_ x: TensorView, _ table: any PackedMatrix, needs: ScoreNeeds?, into y: TensorView) {
        linear(x, table, bias: nil, activation: .none, accumulate: false, into: y)
    }
}

/// The elements of a table's product that must be exact, so that work on the rest can be saved.
package struct ScoreNeeds: Sendable, Hashable {
    /// The number of top values that must be exact, not counting columns in `never` and those from `exactFrom`.
    package var best: Int
    /// Columns that are not needed; they may become -infinity.
    package var never: [Int]
    /// All values from this column on must be exact.
    package var exactFrom: Int

    package init(best: Int, never: [Int], exactFrom: Int) {
        self.best = best
        self.never = never
        self.exactFrom = exactFrom
    }
}
