import CKernels

extension PlainMatrix {
    package func multiply(
        _ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, into y: TensorView
    ) {
        check(x, bias: bias, activation: activation, accumulate: accumulate, into: y)
        let pool = backend.pool
        if x.rows <= KernelBackend.fewRows {
            pool.share(outputs, minimum: 64) { columns in
                fewRows(x, columns, bias: bias, activation: activation, accumulate: accumulate, into: y)
            }
        } else if backend.tiles != nil, let kernels = TileKernels(.float32) {
            pool.share(0..<outputs, minimum: 1, unit: kernels.panel) { columns in
                packAndMultiply(
                    x, columns, with: kernels, bias: bias, activation: activation, accumulate: accumulate, into: y)
            }
        } else if isFull, x.rows >= 64 * pool.threads || x.rows * 4 > outputs {
            pool.share(x.rows, minimum: 32) { rows in
                manyRows(
                    x.slice(rows: rows), 0..<outputs, bias: bias, activation: activation, accumulate: accumulate,
                    into: y.slice(rows: rows))
            }
        } else {
            pool.share(outputs, minimum: 64) { columns in
                manyRows(x, columns, bias: bias, activation: activation, accumulate: accumulate, into: y)
            }
        }
    }

    /// The columns `columns` of the product, on the calling thread; reads each weight once.
    func fewRows(
        _ x: TensorView, _ columns: Range<Int>, bias: Tensor?, activation: Activation, accumulate: Bool,
        into y: TensorView
    ) {
        let fusedBias = activation == .gelu ? nil : bias
        switch storage {
        case .full(let weights):
            unsafe ck_few_rows(
                x.base, x.stride, x.rows, weights.base, inputs, inputs, fusedBias?.base, y.base, y.stride,
                columns.lowerBound, columns.upperBound, accumulate ? 1 : 0)
        case .half(let weights):
            unsafe ck_few_rows_half(
                x.base, x.stride, x.rows, weights.base, inputs, inputs, fusedBias?.base, y.base, y.stride,
                columns.lowerBound, columns.upperBound, accumulate ? 1 : 0)
        }
        activate(y, columns, activation, bias: bias)
    }

    /// The same by the library.
    private func manyRows(
        _ x: TensorView, _ columns: Range<Int>, bias: Tensor?, activation: Activation, accumulate: Bool,
        into y: TensorView
    ) {
        // Libraries need float32, so rows of the weight in float16 are widened first.
        unsafe PlainRows(self).widened(columns) { weights in
            // Libraries reject overlapping rows; those of a convolution are multiplied in sections of one stride.
            let step = x.stride < x.columns ? x.stride : x.columns
            for first in stride(from: 0, to: x.columns, by: max(1, step)) {
                unsafe backend.product.multiply(
                    m: x.rows, n: columns.count, k: min(step, x.columns - first), a: x.base + first, aStride: x.stride,
                    b: weights + first, bStride: x.columns, transposedB: true, accumulate: accumulate || first > 0,
                    c: y.base + columns.lowerBound, cStride: y.stride)
            }
        }
        if activation != .gelu, let bias {
            unsafe ck_add_bias(
                y.base + columns.lowerBound, y.stride, y.rows, columns.count, bias.base + columns.lowerBound)
        }
        activate(y, columns, activation, bias: bias)
    }

    /// The same for many rows: packs each panel in the cache, then multiplies.
    private func packAndMultiply(
        _ x: TensorView, _ columns: Range<Int>, with kernels: TileKernels, bias: Tensor?, activation: Activation,
        accumulate: Bool, into y: TensorView
    ) {
        let panel = kernels.panel
        scratch.with(panel * inputs) { words in
            for first in stride(from: columns.lowerBound, to: columns.upperBound, by: panel) {
                let count = min(panel, columns.upperBound - first)
                unsafe PlainRows(self).widened(first..<(first + count)) { numbers in
                    unsafe kernels.functions.pointee.pack(
                        numbers, inputs, count, inputs, 1, 0, 1, words.base, nil, nil)
                }
                let tiles = unsafe ck_tiles(
                    words: words.base, scales: nil, sums: nil, outputs: count, inputs: inputs, groups: 1,
                    limit: 0)
                unsafe withUnsafePointer(to: tiles) { tiles in
                    unsafe kernels.functions.pointee.multiply(
                        tiles, x.base, x.stride, x.rows, bias.map { unsafe $0.base + first },
                        activation.code, accumulate ? 1 : 0, nil, y.base + first, y.stride)
                }
            }
        }
    }

    package func copyRow(_ index: Int, to tensor: Tensor, at offset: Int) {
        precondition(offset >= 0 && offset + inputs <= tensor.count, "\(inputs) at \(offset) of \(tensor.count)")
        switch storage {
        case .full(let weights): tensor.copy(weights, from: index * inputs, count: inputs, at: offset)
        case .half(let weights): unsafe weights.widen(from: index * inputs, count: inputs, into: tensor.base + offset)
        }
    }
}

extension PackedMatrix {
    /// Applies an activation to columns of a product, which has its bias except with GELU.
    func activate(_ y: TensorView, _ columns: Range<Int>, _ activation: Activation, bias: Tensor?) {
        let from = unsafe y.base + columns.lowerBound
        switch activation {
        case .none: break
        case .gelu:
            guard let bias else { preconditionFailure("GELU without bias") }
            unsafe ck_bias_gelu(from, y.stride, y.rows, columns.count, bias.base + columns.lowerBound)
        case .silu, .relu: unsafe ck_activate(from, y.stride, y.rows, columns.count, activation.code)
        }
    }
}

extension Activation {
    /// As in CKTiles.h.
    var code: Int32 {
        switch self {
        case .none: CK_IDENTITY
        case .gelu: CK_GELU
        case .silu: CK_SILU
        case .relu: CK_RELU
        }
    }
}
