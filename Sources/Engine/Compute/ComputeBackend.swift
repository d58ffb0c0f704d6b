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
    /// As `fewRows`; rows are looked up besides, and of the product the greatest values matter most (`scores`).
    case table
}

/// A weight in the layout its backend multiplies fastest.
package protocol PackedMatrix: Sendable {
    /// Rows of the weight: length of the result.
    var outputs: Int { get }
    /// Columns of the weight: length of the input.
    var inputs: Int { get }
}

/// The arithmetic of the network in coarse steps, each a few per layer. Shapes are `[rows, columns]`, row-major.
package protocol ComputeBackend: AnyObject, Sendable {
    var name: String { get }
    var threads: Int { get }
    /// Format of the products of many rows, never `auto`.
    var computeType: ComputeType { get }
    /// How it keeps the keys and values of a window.
    var cachePrecision: CachePrecision { get }

    /// Runs `body` over all of 0..<count in parts of at least `minimum`, on any threads, and returns when all is done.
    func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void)

    /// Takes a weight `[outputs, inputs]` for use with `linear`.
    func prepare(_ weight: Tensor, outputs: Int, inputs: Int, for use: MatrixUse) throws -> any PackedMatrix

    /// Takes the rows of several tensors of a file as one weight.
    ///
    /// - Throws: besides what `prepare` throws, what `WeightTensor.floats` does.
    func prepare(
        _ parts: [WeightTensor], outputs: Int, inputs: Int, for use: MatrixUse
    ) throws -> any PackedMatrix

    /// Copies row `index` of a weight to the elements of `tensor` from `offset` on.
    func copyRow(_ index: Int, of weight: any PackedMatrix, to tensor: Tensor, at offset: Int)

    /// `y = activation(x · wᵀ + bias)`, or `y += x · wᵀ + bias` with `accumulate` (then without activation).
    func linear(
        _ x: TensorView, _ weight: any PackedMatrix, bias: Tensor?, activation: Activation, accumulate: Bool,
        into y: TensorView)

    /// `y = x · wᵀ` for a weight prepared as a table, exact where `needs` ask for it, nearly so elsewhere; exact
    /// everywhere without needs.
    func scores(_ x: TensorView, _ table: any PackedMatrix, needs: ScoreNeeds?, into y: TensorView)

    /// `y = (x − mean) / √(variance + 1e-5) · gain + shift` row by row, biased variance.
    func layerNorm(_ x: TensorView, gain: Tensor, shift: Tensor, into y: TensorView)

    /// `out = softmax(q · kᵀ / √d) · v` for each head of d columns; every query sees every key.
    func attention(queries: TensorView, keys: TensorView, values: TensorView, heads: Int, into out: TensorView)

    /// The same over cached keys and values; each query row sees its own history.
    func attention(queries: TensorView, cache: CachedAttention, heads: Int, into out: TensorView)

    /// The same over a window's keys and values.
    func attention(queries: TensorView, cross: CrossAttentionCache, into out: TensorView)

    /// The same for several windows: rows next to each other that look at one, and its keys and values.
    func attention(
        queries: TensorView, windows: Int, window: (Int) -> (rows: Range<Int>, cross: CrossAttentionCache),
        into out: TensorView)

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

    package var cachePrecision: CachePrecision { .float32 }

    package func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void) { body(0..<count) }

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

    package func prepare(
        _ parts: [WeightTensor], outputs: Int, inputs: Int, for use: MatrixUse
    ) throws -> any PackedMatrix {
        try prepare(try floats(parts), outputs: outputs, inputs: inputs, for: use)
    }

    /// The numbers of several tensors one after another.
    func floats(_ parts: [WeightTensor]) throws -> Tensor {
        let weights = try Tensor(count: parts.reduce(0) { $0 + $1.count })
        var offset = 0
        for part in parts {
            try part.write(to: weights, at: offset, by: self)
            offset += part.count
        }
        return weights
    }
}

/// What is wanted of a table's product with a few rows, so that work on the rest may be saved.
package struct ScoreNeeds: Sendable, Hashable {
    /// How many of the greatest values must be those of the full product, values of `never` and from `exactFrom` on
    /// not counted.
    package var best: Int
    /// Columns that are wanted in no case; they may become -infinity.
    package var never: [Int]
    /// From this column on all values must be those of the full product.
    package var exactFrom: Int

    package init(best: Int, never: [Int], exactFrom: Int) {
        self.best = best
        self.never = never
        self.exactFrom = exactFrom
    }
}
