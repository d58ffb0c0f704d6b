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
    /// Whether a row of a many-row product has the same bits whatever the other rows are. Libraries choose their
    /// kernels by the number of rows.
    var hasIndependentRows: Bool { get }

    /// Splits 0..<count into ranges of at least `minimum`, calls `body` for each on any thread, and returns when all
    /// have finished.
    func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void)

    /// Calls `body` with memory for at least `count` elements, with arbitrary content, which other operations reuse.
    func withScratch(_ count: Int, _ body: (Tensor) -> Void)

    /// Prepares a weight for products.
    ///
    /// - Throws: `ComputeError.outOfMemory`, and the errors of `MatrixRows.read`.
    func prepare(_ rows: any MatrixRows, for use: MatrixUse) throws -> any PackedMatrix

    /// `y = (x − mean) / √(variance + 1e-5) · gain + shift` for each row, with biased variance.
    ///
    /// x and y are `[rows, columns]` and may be the same; gain and shift are `[columns]`.
    func layerNorm(_ x: TensorView, gain: Tensor, shift: Tensor, into y: TensorView)

    /// `out = softmax(q · kᵀ / √d) · v` for each head of d columns; every query sees every key.
    ///
    /// Queries and out are `[rows, heads · d]`, keys and values `[positions, heads · d]`.
    ///
    /// - Parameter rest: keys and values of a whole window, of which the queries also see those at positions from
    ///   `keys.rows` on, a multiple of `KernelBackend.positionStep`, if it has more than that.
    func attention(
        queries: TensorView, keys: TensorView, values: TensorView, heads: Int, then rest: (any PackedHeads)?,
        into out: TensorView)

    /// Room in an arena for the keys and values of a window, for `attention`.
    func heads(positions: Int, heads: Int, size: Int, in arena: WeightArena) throws -> any PackedHeads

    /// Stores keys and values `[positions, heads · d]` in room that this backend has made.
    func store(keys: TensorView, values: TensorView, in packed: any PackedHeads)

    /// Prepares what relative attention adds to queries and keys.
    ///
    /// - Throws: `ComputeError.outOfMemory`.
    func prepare(_ positions: RelativePositions) throws -> any PackedPositions

    /// `attention` with relative positions: the score of query i and key j is `((q_i + u) · k_j + (q_i + v) · p_(i + c −
    /// j)) / √d`. There are at most `positions.reach + 1` keys: c, and then those of the queries.
    func attention(
        queries: TensorView, keys: TensorView, values: TensorView, positions: any PackedPositions, into out: TensorView)

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

    /// Stores keys and values `[rows, heads · d]` of adjacent positions in the cache.
    ///
    /// - Parameter start: the first of these positions, a multiple of `CrossAttentionCache.step`.
    func fill(_ cache: CrossAttentionCache, keys: TensorView, values: TensorView, from start: Int)

    /// `x += y`, both `[rows, columns]` and contiguous.
    func add(_ y: TensorView, to x: TensorView)

    /// A gated linear unit: `y = a / (1 + e⁻ᵇ)`, where x is `[rows, 2 · columns]`, a its first half and b its second.
    ///
    /// - Parameter y: `[rows, columns]`; columns are a multiple of 16.
    func gate(_ x: TensorView, into y: TensorView)

    /// Convolves each column of rows with its own kernel, rows beyond the ends being zero:
    /// `y[t] = activation(bias + Σ kernel[k] · x[t + k − before])`.
    ///
    /// - Parameters:
    ///   - x: `[rows, columns]`, a multiple of 16 columns; y, too, with as many rows or fewer.
    ///   - kernel: `[taps, columns]`.
    ///   - before: the number of rows before its own that a row sees, less than the taps; 0 if x begins with them.
    ///   - bias: `[columns]`.
    func convolveRows(
        _ x: TensorView, kernel: Tensor, before: Int, bias: Tensor, activation: Activation, into y: TensorView)

    /// Convolves rows of an image with kernels of 3 × 3 pixels, every two pixels in both directions.
    func halve(_ image: ImageRows, by kernels: ImageKernels, activation: Activation, into y: ImageRows)
}

extension ComputeBackend {
    package func fill(_ cache: CrossAttentionCache, keys: TensorView, values: TensorView) {
        fill(cache, keys: keys, values: values, from: 0)
    }

    package func attention(
        queries: TensorView, keys: TensorView, values: TensorView, heads: Int, into out: TensorView
    ) {
        attention(queries: queries, keys: keys, values: values, heads: heads, then: nil, into: out)
    }

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
}
