import CKernels

/// A library's float32 matrix product on the calling thread.
protocol MatrixProduct: Sendable {
    var name: String { get }

    /// `c = a · b` or `c += a · b`, row-major with strides in floats; a is `[m, k]`, b is `[k, n]`, or `[n, k]` if
    /// `transposedB`, and c is `[m, n]`.
    func multiply(
        m: Int, n: Int, k: Int, a: UnsafePointer<Float>, aStride: Int, b: UnsafePointer<Float>, bStride: Int,
        transposedB: Bool, accumulate: Bool, c: UnsafeMutablePointer<Float>, cStride: Int)
}

/// The default backend: a library's matrix product, and the engine's kernels and threads for everything else.
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
        pool = WorkerPool(threads: threads)
    }

    package var kernels: String { tiles?.summary ?? name }

    package var hasIndependentRows: Bool { tiles != nil }

    package func prepare(_ rows: any MatrixRows, for use: MatrixUse) throws -> any PackedMatrix {
        if use == .fewRows || use == .table { return try prepareFewRows(rows, for: use) }
        if let tiles {
            return try PackedTiles(rows, kind: tiles.forWeight(use), arena: arena, pool: pool)
        }
        let floats =
            arena.isFilled
            ? try arena.tensor(count: rows.outputs * rows.inputs) : try arena.kept(try rows.floats(by: self))
        return PlainMatrix(storage: .full(floats), outputs: rows.outputs, inputs: rows.inputs)
    }

    package func copyRow(_ index: Int, of weight: any PackedMatrix, to tensor: Tensor, at offset: Int) {
        if let weight = weight as? PackedTiles { return weight.copyRow(index, to: tensor, at: offset) }
        guard let weight = (weight as? RankedTable)?.table ?? weight as? PlainMatrix else {
            preconditionFailure("not a table of this backend")
        }
        let n = weight.inputs
        precondition(offset >= 0 && offset + n <= tensor.count, "a row of \(n) at \(offset) of \(tensor.count)")
        switch weight.storage {
        case .full(let weights): tensor.copy(weights, from: index * n, count: n, at: offset)
        case .half(let weights): unsafe weights.widen(from: index * n, count: n, into: tensor.base + offset)
        }
    }

    /// Splits 0..<count into ranges of at least `minimum`, several per thread, because cores may also be busy
    /// otherwise.
    package func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void) {
        let parts = threads == 1 ? 1 : min(3 * threads, max(1, count / max(1, minimum)))
        pool.run(parts: parts) { part in body((count * part / parts)..<(count * (part + 1) / parts)) }
    }

    /// `share` of a range in multiples of `unit` from its start.
    private func share(_ range: Range<Int>, minimum: Int, unit: Int = 1, _ body: (Range<Int>) -> Void) {
        share((range.count + unit - 1) / unit, minimum: minimum) { units in
            let first = range.lowerBound + units.lowerBound * unit
            body(first..<min(range.lowerBound + units.upperBound * unit, range.upperBound))
        }
    }

    package func withScratch(_ count: Int, _ body: (Tensor) -> Void) { scratch.with(count, body) }

    package func linear(
        _ x: TensorView, _ weight: any PackedMatrix, bias: Tensor?, activation: Activation, accumulate: Bool,
        into y: TensorView
    ) {
        if let weight = weight as? PackedTiles {
            return linear(x, weight, bias: bias, activation: activation, accumulate: accumulate, into: y)
        }
        if let weight = weight as? Int8Matrix {
            return multiply(x, weight, bias: bias, activation: activation, accumulate: accumulate, into: y)
        }
        guard let weight = (weight as? RankedTable)?.table ?? weight as? PlainMatrix else {
            preconditionFailure("weight of another backend")
        }
        precondition(
            x.columns == weight.inputs && y.columns == weight.outputs && x.rows == y.rows,
            "\(x.rows) × \(x.columns) by \(weight.outputs) × \(weight.inputs) into \(y.rows) × \(y.columns)")
        precondition(bias == nil || bias?.count == weight.outputs, "bias of \(bias?.count ?? 0)")
        precondition(!(accumulate && activation == .gelu), "accumulation excludes an activation")
        multiply(
            x, weight, 0..<weight.outputs, bias: bias, activation: activation, accumulate: accumulate, into: y)
    }

    /// The columns `outputs` of `linear`.
    package func multiply(
        _ x: TensorView, _ weight: PlainMatrix, _ outputs: Range<Int>, bias: Tensor?, activation: Activation,
        accumulate: Bool, into y: TensorView
    ) {
        if x.rows <= Self.fewRows {
            share(outputs, minimum: 64) { outputs in
                fewRows(x, weight, bias: bias, activation: activation, accumulate: accumulate, outputs, into: y)
            }
        } else if tiles != nil, let kernels = TileKernels(.float32) {
            share(outputs, minimum: 1, unit: kernels.panel) { outputs in
                multiply(
                    x, weight, kernels, outputs, bias: bias, activation: activation, accumulate: accumulate, into: y)
            }
        } else if weight.isFull, x.rows >= 64 * threads || x.rows * 4 > outputs.count {
            share(x.rows, minimum: 32) { rows in
                manyRows(
                    x.slice(rows: rows), weight, bias: bias, activation: activation, accumulate: accumulate, outputs,
                    into: y.slice(rows: rows))
            }
        } else {
            share(outputs, minimum: 64) { outputs in
                manyRows(x, weight, bias: bias, activation: activation, accumulate: accumulate, outputs, into: y)
            }
        }
    }

    package func fewRows(
        _ x: TensorView, _ weight: PlainMatrix, bias: Tensor?, activation: Activation, accumulate: Bool,
        _ outputs: Range<Int>, into y: TensorView
    ) {
        let fusedBias = activation == .none ? bias : nil
        switch weight.storage {
        case .full(let weights):
            unsafe ck_few_rows(
                x.base, x.stride, x.rows, weights.base, weight.inputs, weight.inputs, fusedBias?.base, y.base,
                y.stride, outputs.lowerBound, outputs.upperBound, accumulate ? 1 : 0)
        case .half(let weights):
            unsafe ck_few_rows_half(
                x.base, x.stride, x.rows, weights.base, weight.inputs, weight.inputs, fusedBias?.base, y.base,
                y.stride, outputs.lowerBound, outputs.upperBound, accumulate ? 1 : 0)
        }
        if activation == .gelu { gelu(y.slice(columns: outputs), bias: bias, from: outputs.lowerBound) }
    }

    private func manyRows(
        _ x: TensorView, _ weight: PlainMatrix, bias: Tensor?, activation: Activation, accumulate: Bool,
        _ outputs: Range<Int>, into y: TensorView
    ) {
        switch weight.storage {
        case .full(let weights):
            unsafe multiply(
                x, weights.base + outputs.lowerBound * weight.inputs, outputs, accumulate: accumulate, into: y)
        case .half(let weights):
            // Libraries need float32, so these rows of the weight are widened first.
            scratch.with(outputs.count * weight.inputs) { widened in
                unsafe weights.widen(
                    from: outputs.lowerBound * weight.inputs, count: outputs.count * weight.inputs, into: widened.base)
                unsafe multiply(x, widened.base, outputs, accumulate: accumulate, into: y)
            }
        }
        if activation == .gelu {
            gelu(y.slice(columns: outputs), bias: bias, from: outputs.lowerBound)
        } else if let bias {
            unsafe ck_add_bias(
                y.base + outputs.lowerBound, y.stride, y.rows, outputs.count, bias.base + outputs.lowerBound)
        }
    }

    /// - Parameter weights: the first row of the range `outputs`.
    private func multiply(
        _ x: TensorView, _ weights: UnsafePointer<Float>, _ outputs: Range<Int>, accumulate: Bool, into y: TensorView
    ) {
        // Libraries reject overlapping rows; those of a convolution are multiplied in sections of one stride.
        let step = x.stride < x.columns ? x.stride : x.columns
        for first in stride(from: 0, to: x.columns, by: max(1, step)) {
            unsafe product.multiply(
                m: x.rows, n: outputs.count, k: min(step, x.columns - first), a: x.base + first, aStride: x.stride,
                b: weights + first, bStride: x.columns, transposedB: true, accumulate: accumulate || first > 0,
                c: y.base + outputs.lowerBound, cStride: y.stride)
        }
    }

    func gelu(_ y: TensorView, bias: Tensor?, from first: Int) {
        guard let bias else { preconditionFailure("GELU without bias") }
        unsafe ck_bias_gelu(y.base, y.stride, y.rows, y.columns, bias.base + first)
    }

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

/// Many-row products with packed weights.
extension KernelBackend {
    /// `linear` with a packed weight, for any number of rows.
    func linear(
        _ x: TensorView, _ weight: PackedTiles, bias: Tensor?, activation: Activation, accumulate: Bool,
        into y: TensorView
    ) {
        precondition(
            x.columns == weight.inputs && y.columns == weight.outputs && x.rows == y.rows,
            "\(x.rows) × \(x.columns) by \(weight.outputs) × \(weight.inputs) into \(y.rows) × \(y.columns)")
        precondition(bias == nil || bias?.count == weight.outputs, "bias of \(bias?.count ?? 0)")
        precondition(!(accumulate && activation == .gelu), "accumulation excludes an activation")
        share(x.rows, atMost: Int(CK_MAX_ROWS)) { rows in
            scratch.with(weight.scratchCount) { scratch in
                weight.multiply(
                    x.slice(rows: rows), bias: bias, activation: activation, accumulate: accumulate, scratch: scratch,
                    into: y.slice(rows: rows))
            }
        }
    }

    /// Many rows by a few-row weight: packs each panel in the cache, then multiplies. On the calling thread.
    private func multiply(
        _ x: TensorView, _ weight: PlainMatrix, _ kernels: TileKernels, _ outputs: Range<Int>, bias: Tensor?,
        activation: Activation, accumulate: Bool, into y: TensorView
    ) {
        let inputs = weight.inputs, panel = kernels.panel
        scratch.with(panel * inputs) { words in
            for first in stride(from: outputs.lowerBound, to: outputs.upperBound, by: panel) {
                let count = min(panel, outputs.upperBound - first)
                unsafe PlainRows(weight, scratch: scratch).widened(first..<(first + count)) { numbers in
                    unsafe kernels.functions.pointee.pack(
                        numbers, inputs, count, inputs, 0, 1, words.base, nil, nil)
                }
                let tiles = unsafe ck_tiles(
                    words: words.base, scales: nil, sums: nil, outputs: count, inputs: inputs, limit: 0)
                unsafe withUnsafePointer(to: tiles) { tiles in
                    unsafe kernels.functions.pointee.multiply(
                        tiles, x.base, x.stride, x.rows, bias.map { unsafe $0.base + first },
                        activation == .gelu ? 1 : 0, accumulate ? 1 : 0, nil, y.base + first, y.stride)
                }
            }
        }
    }

    /// Splits rows into ranges of at most `limit`, several per thread, that fill the kernels' tiles.
    private func share(_ rows: Int, atMost limit: Int, _ body: (Range<Int>) -> Void) {
        let tile = Int(CK_TILE_ROWS), tiles = (rows + tile - 1) / tile
        let run = tile * min(limit / tile, max(1, (tiles + 3 * threads - 1) / (3 * threads)))
        pool.run(parts: (rows + run - 1) / run) { part in body((part * run)..<min(rows, (part + 1) * run)) }
    }
}
