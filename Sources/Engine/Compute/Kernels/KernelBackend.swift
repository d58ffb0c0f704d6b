import CKernels

/// A float32 matrix product on the calling thread: a library's, or that of the engine's kernels.
protocol MatrixProduct: Sendable {
    var name: String { get }

    /// `c = a · b` or `c += a · b`, row-major with strides in floats; a is `[m, k]`, b is `[k, n]`, or `[n, k]` if
    /// `transposedB`, and c is `[m, n]`.
    func multiply(
        m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
        transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int)
}

/// The default backend: the engine's kernels and threads, with a library's matrix product where there are no kernels.
package final class KernelBackend: ComputeBackend {
    package let name: String
    package let threads: Int
    /// The requested type, never `auto`.
    package let computeType: ComputeType
    let product: any MatrixProduct
    /// The format of weights for the engine's many-row kernels; `nil` uses the library instead.
    let tiles: TileKind?
    let pool: WorkerPool
    let scratch = ScratchPool()
    package let arena = WeightArena()

    /// Up to this many rows the engine's kernel, which reads each weight once, is faster than the libraries, which
    /// first copy it.
    package static let fewRows = 8

    init(product: any MatrixProduct, threads: Int, computeType: ComputeType = .float32, tiles: TileKind? = nil) {
        self.product = product
        self.computeType = computeType
        self.tiles = tiles
        self.threads = max(1, threads)
        name = product.name
        // Libraries round differently when they multiply fewer rows or columns at a time.
        pool = WorkerPool(threads: threads, hasFixedParts: tiles == nil)
    }

    package var kernels: String { tiles?.summary ?? name }

    /// Whether `prepare` finds the weights in a file, already packed, and does not read what it is given.
    package var hasPackedWeights: Bool { arena.isFilled }

    package var hasIndependentRows: Bool { tiles != nil }

    package func prepare(_ rows: any MatrixRows, for use: MatrixUse) throws -> any PackedMatrix {
        if use == .fewRows || use == .table { return try prepareFewRows(rows, for: use) }
        if let tiles {
            return try PackedTiles(
                rows, kind: tiles.kind(for: use), groups: tiles.groups(of: rows.inputs, for: use),
                arena: use == .once ? WeightArena() : arena, pool: pool, scratch: scratch)
        }
        let floats =
            arena.isFilled
            ? try arena.tensor(count: rows.outputs * rows.inputs) : try arena.kept(try rows.floats(by: self))
        return PlainMatrix(.full(floats), outputs: rows.outputs, inputs: rows.inputs, backend: self)
    }

    package func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void) {
        pool.share(count, minimum: minimum, body)
    }

    package func withScratch(_ count: Int, _ body: (Tensor) -> Void) { scratch.with(count, body) }

    package func layerNorm(_ x: TensorView, gain: Tensor, shift: Tensor, into y: TensorView) {
        precondition(x.rows == y.rows && x.columns == y.columns && gain.count == x.columns && shift.count == x.columns)
        share(x.rows, minimum: 64) { rows in
            let from = x.slice(rows: rows), to = y.slice(rows: rows)
            unsafe ck_layer_norm(
                from.base, from.stride, to.base, to.stride, rows.count, x.columns, gain.base, shift.base)
        }
    }

    package func add(_ y: TensorView, to x: TensorView) {
        precondition(x.rows == y.rows && x.columns == y.columns && x.stride == x.columns && y.stride == y.columns)
        unsafe ck_add(x.base, y.base, x.rows * x.columns)
    }
}
