import CKernels

/// Self-attention over a whole window and over cached tokens.
extension KernelBackend {
    /// The number of queries whose scores over 1500 keys fit in a core's L2 cache.
    private static let queryBlock = 128

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

    /// Attention over a whole window by the packed kernels, which must be available for `kind`; not for `.int8`.
    func attention(
        queries: TensorView, keys: TensorView, values: TensorView, heads: Int, kind: TileKind, into out: TensorView
    ) {
        let size = queries.columns / heads, positions = keys.rows, panel = Int(CK_PANEL)
        precondition(
            size * heads == queries.columns && keys.columns == queries.columns && values.columns == queries.columns
                && values.rows == positions && out.rows == queries.rows && out.columns == queries.columns,
            "\(queries.rows) × \(queries.columns) over \(positions), \(heads) heads")
        let keyWords = ck_tile_panels(positions) * panel * kind.steps(size)
        let valueWords = ck_tile_panels(size) * panel * kind.steps(positions)
        let blocks = (queries.rows + Self.queriesAtOnce - 1) / Self.queriesAtOnce
        scratch.with(heads * (keyWords + valueWords)) { packed in
            pool.run(parts: heads) { head in
                let to = unsafe packed.base + head * (keyWords + valueWords)
                unsafe ck_tile_pack(
                    kind.rawValue, keys.base + head * size, keys.stride, positions, size, 0, ck_tile_panels(positions),
                    to, nil, nil)
                unsafe ck_tile_pack_transposed(
                    kind.rawValue, values.base + head * size, values.stride, size, positions, to + keyWords)
            }
            pool.run(parts: heads * blocks) { part in
                let head = part / blocks, first = part % blocks * Self.queriesAtOnce
                let from = unsafe packed.base + head * (keyWords + valueWords)
                scratch.with(ck_tile_attention_scratch(positions, size)) { scratch in
                    unsafe ck_tile_attention(
                        kind.rawValue, queries.row(first) + head * size, queries.stride,
                        min(Self.queriesAtOnce, queries.rows - first), size, 1 / Float(size).squareRoot(), from,
                        from + keyWords, positions, scratch.base, out.row(first) + head * size, out.stride)
                }
            }
        }
    }

    /// The number of queries per part, a multiple of what the kernel processes at a time.
    private static let queriesAtOnce = 5 * Int(CK_QUERY_ROWS)
}
