import CKernels

/// Self-attention over a whole window and over cached tokens.
extension KernelBackend {
    /// The number of queries whose scores over 1500 keys fit in a core's L2 cache.
    static let queryBlock = 128

    package func attention(queries: TensorView, keys: TensorView, values: TensorView, heads: Int, into out: TensorView)
    {
        if let kernels = tiles.flatMap({ TileKernels($0.fine) }) {
            return attention(queries: queries, keys: keys, values: values, heads: heads, kernels: kernels, into: out)
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

    package func attention(queries: TensorView, cache: CachedAttention, heads: Int, into out: TensorView) {
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
                    precondition(history.count == count && history.allSatisfy { $0 >= 0 && $0 < slots }, "invalid slot")
                    unsafe history.withUnsafeBufferPointer { history in
                        unsafe ck_cached_attention(
                            queries.row(row), cache.keys.base, cache.values.base, n, history.baseAddress, count,
                            heads, size, 1 / Float(size).squareRoot(), scores.base, out.row(row))
                    }
                }
            }
        }
    }

    /// Attention over a whole window by the packed kernels; not for `.int8`.
    ///
    /// - Parameter positions: relative positions, packed for the same kernels.
    func attention(
        queries: TensorView, keys: TensorView, values: TensorView, heads: Int, kernels: TileKernels,
        positions relative: PositionTiles? = nil, into out: TensorView
    ) {
        let size = queries.columns / heads, positions = keys.rows
        precondition(
            size * heads == queries.columns && keys.columns == queries.columns && values.columns == queries.columns
                && values.rows == positions && out.rows == queries.rows && out.columns == queries.columns,
            "\(queries.rows) × \(queries.columns) over \(positions), \(heads) heads")
        precondition(kernels.kind != .int8, "attention in int8")
        let words = unsafe ck_tile_head_words(kernels.functions, positions, size)
        let blocks = (queries.rows + Self.queriesAtOnce - 1) / Self.queriesAtOnce
        scratch.with(heads * words) { packed in
            pool.run(parts: heads) { head in
                unsafe kernels.functions.pointee.pack_head(
                    keys.base + head * size, keys.stride, values.base + head * size, values.stride, positions, size,
                    packed.base + head * words)
            }
            pool.run(parts: heads * blocks) { part in
                let head = part / blocks, first = part % blocks * Self.queriesAtOnce
                let isRelative: Int32 = relative == nil ? 0 : 1
                unsafe scratch.with(
                    ck_tile_attention_scratch(kernels.functions, positions, size, isRelative)
                ) { scratch in
                    unsafe withRelative(relative, head: head, first: positions - queries.rows + first) { relative in
                        unsafe kernels.functions.pointee.attention(
                            queries.row(first) + head * size, queries.stride,
                            min(Self.queriesAtOnce, queries.rows - first), size, 1 / Float(size).squareRoot(),
                            packed.base + head * words, positions, relative, scratch.base,
                            out.row(first) + head * size, out.stride)
                    }
                }
            }
        }
    }

    private func withRelative(
        _ positions: PositionTiles?, head: Int, first: Int, _ body: (UnsafePointer<ck_relative>?) -> Void
    ) {
        guard let positions else { return body(nil) }
        unsafe withUnsafePointer(to: positions.relative(head: head, first: first)) { unsafe body($0) }
    }

    /// The number of queries per part, a multiple of what the kernel processes at a time.
    private static let queriesAtOnce = 5 * Int(CK_QUERY_ROWS)
}
