import CKernels

/// Self-attention over a whole window and over cached tokens.
extension KernelBackend {
    /// The number of queries whose scores over 1500 keys fit in a core's L2 cache.
    static let queryBlock = 128

    /// The kernels for attention; `nil` uses the library.
    var attentionKernels: TileKernels? { tiles.flatMap { TileKernels($0.fine) } }

    package func attention(
        queries: TensorView, keys: TensorView, values: TensorView, heads: Int, then rest: (any PackedHeads)?,
        into out: TensorView
    ) {
        if let kernels = attentionKernels {
            return attention(
                queries: queries, keys: keys, values: values, heads: heads, kernels: kernels, then: rest, into: out)
        }
        let size = queries.columns / heads, own = keys.rows, plain = rest as? PlainHeads
        let positions = max(own, plain?.positions ?? 0)
        precondition(rest == nil || plain?.heads == heads, "heads of another backend or layer")
        // What is seen beyond the first positions.
        let more = plain.map { ($0.keys.slice(rows: own..<positions), $0.values.slice(rows: own..<positions)) }
        let blocks = (queries.rows + Self.queryBlock - 1) / Self.queryBlock
        let tasks = heads * blocks
        let scale = 1 / Float(size).squareRoot()
        share(tasks, minimum: 1) { share in
            scratch.with(Self.queryBlock * positions) { scores in
                for task in share {
                    let head = task / blocks, block = task % blocks
                    let first = block * Self.queryBlock
                    let count = min(Self.queryBlock, queries.rows - first)
                    var at = 0
                    for keys in [keys, more?.0].compactMap(\.self) where keys.rows > 0 {
                        unsafe product.multiply(
                            m: count, n: keys.rows, k: size, a: queries.row(first) + head * size,
                            aStride: queries.stride, b: keys.base + head * size, bStride: keys.stride,
                            transposedB: true, accumulate: false, c: scores.base + at, cStride: positions)
                        at += keys.rows
                    }
                    unsafe ck_softmax(scores.base, positions, count, positions, scale)
                    at = 0
                    for values in [values, more?.1].compactMap(\.self) where values.rows > 0 {
                        unsafe product.multiply(
                            m: count, n: size, k: values.rows, a: scores.base + at, aStride: positions,
                            b: values.base + head * size, bStride: values.stride, transposedB: false,
                            accumulate: at > 0, c: out.row(first) + head * size, cStride: out.stride)
                        at += values.rows
                    }
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
    /// - Parameters:
    ///   - relative: relative positions, packed for the same kernels.
    ///   - rest: as for the backend's `attention`; not with relative positions.
    func attention(
        queries: TensorView, keys: TensorView, values: TensorView, heads: Int, kernels: TileKernels,
        positions relative: PositionTiles? = nil, then rest: (any PackedHeads)? = nil, into out: TensorView
    ) {
        let size = queries.columns / heads, positions = keys.rows
        precondition(
            size * heads == queries.columns && keys.columns == queries.columns && values.columns == queries.columns
                && values.rows == positions && out.rows == queries.rows && out.columns == queries.columns,
            "\(queries.rows) × \(queries.columns) over \(positions), \(heads) heads")
        precondition(kernels.kind != .int8, "attention in int8")
        let tiles = rest as? HeadTiles, end = tiles?.positions ?? positions
        precondition(rest == nil || relative == nil && tiles?.heads == heads, "heads of another backend or layer")
        precondition(
            end <= positions || positions % Self.positionStep == 0, "\(positions) positions, then those up to \(end)")
        let words = unsafe ck_tile_head_words(kernels.functions, positions, size)
        let blocks = (queries.rows + Self.queriesAtOnce - 1) / Self.queriesAtOnce
        let scratchWords = unsafe ck_tile_attention_scratch(
            kernels.functions, max(positions, end) + (end > positions ? kernels.panel : 0), size,
            relative == nil ? 0 : 1)
        scratch.with(heads * words) { packed in
            pool.run(parts: heads) { head in
                unsafe kernels.functions.pointee.pack_head(
                    keys.base + head * size, keys.stride, values.base + head * size, values.stride, positions, size,
                    packed.base + head * words)
            }
            pool.run(parts: heads * blocks) { part in
                let head = part / blocks, first = part % blocks * Self.queriesAtOnce
                let own = unsafe ck_head_part(packed: packed.base + head * words, positions: positions, first: 0)
                let more = unsafe ck_head_part(packed: tiles?.head(head), positions: end, first: positions)
                unsafe withUnsafePointer(to: (own, more)) { parts in
                    scratch.with(scratchWords) { scratch in
                        unsafe withRelative(relative, head: head, first: positions - queries.rows + first) { relative in
                            unsafe kernels.functions.pointee.attention(
                                queries.row(first) + head * size, queries.stride,
                                min(Self.queriesAtOnce, queries.rows - first), size, 1 / Float(size).squareRoot(),
                                UnsafeRawPointer(parts).assumingMemoryBound(to: ck_head_part.self),
                                end > positions ? 2 : 1, relative, scratch.base, out.row(first) + head * size,
                                out.stride)
                        }
                    }
                }
            }
        }
    }

    /// Where positions of a window may be followed by stored ones.
    package static let positionStep = Int(CK_PART_STEP)

    private func withRelative(
        _ positions: PositionTiles?, head: Int, first: Int, _ body: (UnsafePointer<ck_relative>?) -> Void
    ) {
        guard let positions else { return body(nil) }
        unsafe withUnsafePointer(to: positions.relative(head: head, first: first)) { unsafe body($0) }
    }

    /// The number of queries per part, a multiple of what the kernel processes at a time.
    private static let queriesAtOnce = 5 * Int(CK_QUERY_ROWS)
}
