import CKernels

/// The backend of daily use: a library's matrix product, own kernels for everything else, own threads for both.
final class KernelBackend: ComputeBackend {
    let name: String
    let threads: Int
    /// What the caller chose, never `auto`.
    let computeType: ComputeType
    let product: any MatrixProduct
    /// Format of the weights for many rows in the own kernels; `nil` leaves their products to the library.
    let tiles: TileKind?
    let pool: WorkerPool
    let scratch = ScratchPool()

    /// Up to this many rows the own kernel, which reads each weight once, beats the libraries, which copy it first.
    private static let fewRows = 8
    /// Queries whose scores over 1500 keys stay in a core's second-level cache.
    private static let queryBlock = 128

    init(product: any MatrixProduct, threads: Int, computeType: ComputeType = .float32, tiles: TileKind? = nil) {
        self.product = product
        self.computeType = computeType
        self.tiles = tiles
        self.threads = max(1, threads)
        name = product.name
        pool = WorkerPool(threads: threads)
    }

    func prepare(_ weight: Tensor, outputs: Int, inputs: Int, for use: MatrixUse) throws -> any PackedMatrix {
        precondition(weight.count == outputs * inputs, "\(weight.count) weights for \(outputs) × \(inputs)")
        guard use == .manyRows else { return try prepareFewRows(weight, outputs: outputs, inputs: inputs, for: use) }
        if let tiles {
            let kind = tiles.forWeight(outputs: outputs, inputs: inputs)
            return try PackedTiles(weight, outputs: outputs, inputs: inputs, kind: kind, pool: pool)
        }
        return PlainMatrix(storage: .full(weight), outputs: outputs, inputs: inputs)
    }

    func copyRow(_ index: Int, of weight: any PackedMatrix, to tensor: Tensor, at offset: Int) {
        if let weight = weight as? PackedTiles { return weight.copyRow(index, to: tensor, at: offset) }
        guard let weight = (weight as? RankedTable)?.table ?? weight as? PlainMatrix else {
            preconditionFailure("no table of this backend")
        }
        let n = weight.inputs
        precondition(offset >= 0 && offset + n <= tensor.count, "a row of \(n) at \(offset) of \(tensor.count)")
        switch weight.storage {
        case .full(let weights): tensor.copy(weights, from: index * n, count: n, at: offset)
        case .half(let weights): unsafe weights.widen(from: index * n, count: n, into: tensor.base + offset)
        }
    }

    /// Shares 0..<count out in runs of at least `minimum`, several for each thread: a core may have other work too.
    func share(_ count: Int, minimum: Int, _ body: (Range<Int>) -> Void) {
        let parts = threads == 1 ? 1 : min(3 * threads, max(1, count / max(1, minimum)))
        pool.run(parts: parts) { part in body((count * part / parts)..<(count * (part + 1) / parts)) }
    }

    func linear(
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
        precondition(!(accumulate && activation == .gelu), "no activation on a sum")
        if x.rows <= Self.fewRows {
            share(weight.outputs, minimum: 64) { outputs in
                fewRows(x, weight, bias: bias, activation: activation, accumulate: accumulate, outputs, into: y)
            }
        } else if weight.isFull, x.rows >= 64 * threads || x.rows * 4 > weight.outputs {
            share(x.rows, minimum: 32) { rows in
                manyRows(
                    x.slice(rows: rows), weight, bias: bias, activation: activation, accumulate: accumulate,
                    0..<weight.outputs, into: y.slice(rows: rows))
            }
        } else {
            share(weight.outputs, minimum: 64) { outputs in
                manyRows(x, weight, bias: bias, activation: activation, accumulate: accumulate, outputs, into: y)
            }
        }
    }

    func fewRows(
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
            // The libraries want float32: a share of the weight at a time is widened for them.
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

    /// - Parameter weights: the first of the rows `outputs`.
    private func multiply(
        _ x: TensorView, _ weights: UnsafePointer<Float>, _ outputs: Range<Int>, accumulate: Bool, into y: TensorView
    ) {
        // The libraries refuse rows that overlap; a convolution's are taken in steps of their distance.
        let step = x.stride < x.columns ? x.stride : x.columns
        for first in stride(from: 0, to: x.columns, by: max(1, step)) {
            unsafe product.multiply(
                m: x.rows, n: outputs.count, k: min(step, x.columns - first), a: x.base + first, aStride: x.stride,
                b: weights + first, bStride: x.columns, transposedB: true, accumulate: accumulate || first > 0,
                c: y.base + outputs.lowerBound, cStride: y.stride)
        }
    }

    func gelu(_ y: TensorView, bias: Tensor?, from first: Int) {
        guard let bias else { preconditionFailure("every layer with GELU has a bias") }
        unsafe ck_bias_gelu(y.base, y.stride, y.rows, y.columns, bias.base + first)
    }

    func layerNorm(_ x: TensorView, gain: Tensor, shift: Tensor, into y: TensorView) {
        precondition(x.rows == y.rows && x.columns == y.columns && gain.count == x.columns && shift.count == x.columns)
        share(x.rows, minimum: 64) { rows in
            let from = x.slice(rows: rows), to = y.slice(rows: rows)
            unsafe ck_layer_norm(
                from.base, from.stride, to.base, to.stride, rows.count, x.columns, gain.base, shift.base)
        }
    }

    func attention(queries: TensorView, keys: TensorView, values: TensorView, heads: Int, into out: TensorView) {
        if let kind = tiles?.forAttention {
            return attention(queries: queries, keys: keys, values: values, heads: heads, kind: kind, into: out)
        }
        let size = queries.columns / heads, positions = keys.rows
        let blocks = (queries.rows + Self.queryBlock - 1) / Self.queryBlock
        let tasks = heads * blocks
        let scale = 1 / Float(size).squareRoot()
        share(tasks, minimum: 1) { share in
            scratch.with(Self.queryBlock * positions) { scores in
                for task in share {
                    let head = task / blocks, block = task % blocks
                    let first = block * Self.queryBlock
                    let count = min(Self.queryBlock, queries.rows - first)
                    unsafe product.multiply(
                        m: count, n: positions, k: size, a: queries.row(first) + head * size, aStride: queries.stride,
                        b: keys.base + head * size, bStride: keys.stride, transposedB: true, accumulate: false,
                        c: scores.base, cStride: positions)
                    unsafe ck_softmax(scores.base, positions, count, positions, scale)
                    unsafe product.multiply(
                        m: count, n: size, k: positions, a: scores.base, aStride: positions,
                        b: values.base + head * size, bStride: values.stride, transposedB: false, accumulate: false,
                        c: out.row(first) + head * size, cStride: out.stride)
                }
            }
        }
    }

    func attention(queries: TensorView, cache: CachedAttention, heads: Int, into out: TensorView) {
        precondition(
            cache.histories.count == queries.rows && cache.counts.count == queries.rows,
            "\(cache.histories.count) histories for \(queries.rows) rows")
        let n = queries.columns, size = n / heads
        let slots = Int32(cache.keys.count / n)
        share(queries.rows, minimum: 1) { rows in
            scratch.with(cache.counts.max() ?? 0) { scores in
                for row in rows {
                    let count = cache.counts[row]
                    let history = cache.histories[row].prefix(count)
                    precondition(history.count == count && history.allSatisfy { $0 >= 0 && $0 < slots }, "no such slot")
                    unsafe history.withUnsafeBufferPointer { history in
                        unsafe ck_cached_attention(
                            queries.row(row), cache.keys.base, cache.values.base, n, history.baseAddress, count,
                            heads, size, 1 / Float(size).squareRoot(), scores.base, out.row(row))
                    }
                }
            }
        }
    }

    func attention(queries: TensorView, cross: CrossAttentionCache, into out: TensorView) {
        share(cross.heads, minimum: 1) { heads in
            attention(queries: queries, cross: cross, heads: heads, into: out)
        }
    }

    func attention(
        queries: TensorView, windows: Int, window: (Int) -> (rows: Range<Int>, cross: CrossAttentionCache),
        into out: TensorView
    ) {
        guard windows > 0 else { return }
        // All have as many heads, shared out together: few heads alone do not divide well by the threads.
        let heads = window(0).cross.heads
        share(windows * heads, minimum: 1) { parts in
            var next = parts.lowerBound
            while next < parts.upperBound {
                let (rows, cross) = window(next / heads), first = next % heads
                let count = min(heads - first, parts.upperBound - next)
                attention(
                    queries: queries.slice(rows: rows), cross: cross, heads: first..<(first + count),
                    into: out.slice(rows: rows))
                next += count
            }
        }
    }

    /// Some heads, on the calling thread.
    private func attention(
        queries: TensorView, cross: CrossAttentionCache, heads: Range<Int>, into out: TensorView
    ) {
        if let half = cross.half {
            return attention(queries: queries, cross: cross, half: half, heads: heads, into: out)
        }
        let size = queries.columns / cross.heads, positions = cross.positions, padded = cross.paddedPositions
        let scale = 1 / Float(size).squareRoot()
        scratch.with(queries.rows * padded) { scores in
            for head in heads {
                let keys = unsafe cross.keys.base + head * size * padded
                let values = unsafe cross.values.base + head * positions * size
                if queries.rows <= Self.fewRows {
                    unsafe ck_transposed_attention(
                        queries.base + head * size, queries.stride, queries.rows, keys, values, positions, padded,
                        size, scale, scores.base, out.base + head * size, out.stride)
                } else {
                    unsafe product.multiply(
                        m: queries.rows, n: positions, k: size, a: queries.base + head * size,
                        aStride: queries.stride, b: keys, bStride: padded, transposedB: false, accumulate: false,
                        c: scores.base, cStride: padded)
                    unsafe ck_softmax(scores.base, padded, queries.rows, positions, scale)
                    unsafe product.multiply(
                        m: queries.rows, n: size, k: positions, a: scores.base, aStride: padded, b: values,
                        bStride: size, transposedB: false, accumulate: false, c: out.base + head * size,
                        cStride: out.stride)
                }
            }
        }
    }

    func crossScores(queries: TensorView, cross: CrossAttentionCache, head: Int, columns: Int) -> [Float] {
        let size = queries.columns / cross.heads, padded = cross.paddedPositions
        precondition(head < cross.heads && columns <= cross.positions)
        let scale = 1 / Float(size).squareRoot()
        if let half = cross.half {
            return crossScores(queries: queries, cross: cross, half: half, head: head, columns: columns, scale: scale)
        }
        return unsafe [Float](unsafeUninitializedCapacity: queries.rows * columns) { out, count in
            guard let scores = out.baseAddress else { return }
            unsafe product.multiply(
                m: queries.rows, n: columns, k: size, a: queries.base + head * size, aStride: queries.stride,
                b: cross.keys.base + head * size * padded, bStride: padded, transposedB: false,
                accumulate: false,
                c: scores, cStride: columns)
            for i in 0..<(queries.rows * columns) { unsafe scores[i] *= scale }
            count = queries.rows * columns
        }
    }

    func fill(_ cache: CrossAttentionCache, keys: TensorView, values: TensorView) {
        precondition(keys.rows == cache.positions && values.rows == cache.positions && keys.columns == values.columns)
        if let half = cache.half { return fill(cache, half: half, keys: keys, values: values) }
        let size = keys.columns / cache.heads, positions = cache.positions, padded = cache.paddedPositions
        share(cache.heads, minimum: 1) { heads in
            for head in heads {
                let transposed = unsafe cache.keys.base + head * size * padded
                let copied = unsafe cache.values.base + head * positions * size
                for position in 0..<positions {
                    let key = unsafe keys.row(position) + head * size
                    for i in 0..<size { unsafe transposed[i * padded + position] = key[i] }
                    unsafe (copied + position * size).update(from: values.row(position) + head * size, count: size)
                }
            }
        }
    }

    func add(_ y: TensorView, to x: TensorView) {
        precondition(x.rows == y.rows && x.columns == y.columns && x.stride == x.columns && y.stride == y.columns)
        unsafe ck_add(x.base, y.base, x.rows * x.columns)
    }
}
