import CKernels

/// Cross-attention of the decoder over the keys and values of a window.
extension KernelBackend {
    package func attention(queries: TensorView, cross: CrossAttentionCache, into out: TensorView) {
        share(cross.heads, minimum: 1) { heads in
            attention(queries: queries, cross: cross, heads: heads, into: out)
        }
    }

    package func attention(
        queries: TensorView, windows: Int, window: (Int) -> (rows: Range<Int>, cross: CrossAttentionCache),
        into out: TensorView
    ) {
        guard windows > 0 else { return }
        // The heads of all windows are distributed together, because one window has too few to divide evenly.
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

    /// Attention of the given heads, on the calling thread.
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

    package func crossScores(queries: TensorView, cross: CrossAttentionCache, head: Int, columns: Int) -> [Float] {
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

    package func fill(_ cache: CrossAttentionCache, keys: TensorView, values: TensorView, from start: Int) {
        precondition(
            start >= 0 && start % CrossAttentionCache.step == 0 && start + keys.rows <= cache.positions
                && values.rows == keys.rows && keys.columns == values.columns,
            "\(keys.rows) positions from \(start) on for \(cache.positions)")
        if let half = cache.half { return fill(cache, half: half, keys: keys, values: values, from: start) }
        let size = keys.columns / cache.heads, positions = cache.positions, padded = cache.paddedPositions
        share(cache.heads, minimum: 1) { heads in
            for head in heads {
                let transposed = unsafe cache.keys.base + head * size * padded + start
                let copied = unsafe cache.values.base + (head * positions + start) * size
                for position in 0..<keys.rows {
                    let key = unsafe keys.row(position) + head * size
                    for i in 0..<size { unsafe transposed[i * padded + position] = key[i] }
                    unsafe (copied + position * size).update(from: values.row(position) + head * size, count: size)
                }
            }
        }
    }
}

/// Cross-attention over float16 keys and values.
extension KernelBackend {
    /// Up to this many rows, keys and values are widened while they are read; with more rows they are widened once and
    /// multiplied by the library.
    private static let fewQueries = 24

    func fill(
        _ cache: CrossAttentionCache, half: CrossAttentionCache.Half, keys: TensorView, values: TensorView,
        from start: Int
    ) {
        let size = cache.headSize
        precondition(keys.columns == cache.heads * size && values.columns == keys.columns, "\(keys.columns) columns")
        share(cache.heads, minimum: 1) { heads in
            for head in heads {
                unsafe ck_pack_keys_half(
                    keys.base + head * size, keys.stride, keys.rows, size,
                    half.keys(of: head, in: cache) + start * size)
                unsafe ck_pack_values_half(
                    values.base + head * size, values.stride, values.rows, size,
                    half.values(of: head, in: cache) + start * size)
            }
        }
    }

    /// Attention of the given heads, on the calling thread.
    func attention(
        queries: TensorView, cross: CrossAttentionCache, half: CrossAttentionCache.Half, heads: Range<Int>,
        into out: TensorView
    ) {
        let size = cross.headSize, positions = cross.positions, padded = cross.paddedPositions
        precondition(queries.columns == cross.heads * size, "\(queries.columns) columns")
        let scale = 1 / Float(size).squareRoot()
        scratch.with(queries.rows * padded) { scores in
            for head in heads {
                let values = unsafe half.values(of: head, in: cross)
                if queries.rows <= Self.fewQueries {
                    unsafe ck_half_attention(
                        queries.base + head * size, queries.stride, queries.rows, half.keys(of: head, in: cross),
                        values, positions, size, scale, scores.base, out.base + head * size, out.stride)
                    continue
                }
                let keys = widenedKeys(of: cross, half: half, head: head)
                unsafe product.multiply(
                    m: queries.rows, n: positions, k: size, a: queries.base + head * size,
                    aStride: queries.stride, b: keys.base, bStride: padded, transposedB: false,
                    accumulate: false, c: scores.base, cStride: padded)
                unsafe ck_softmax(scores.base, padded, queries.rows, positions, scale)
                scratch.with(positions * size) { widened in
                    unsafe ck_widen_half(values, widened.base, positions * size)
                    unsafe product.multiply(
                        m: queries.rows, n: size, k: positions, a: scores.base, aStride: padded, b: widened.base,
                        bStride: size, transposedB: false, accumulate: false, c: out.base + head * size,
                        cStride: out.stride)
                }
            }
        }
    }

    package func crossScores(
        queries: TensorView, cross: CrossAttentionCache, half: CrossAttentionCache.Half, head: Int, columns: Int,
        scale: Float
    ) -> [Float] {
        let size = cross.headSize, padded = cross.paddedPositions
        var result: [Float] = []
        result.reserveCapacity(queries.rows * columns)
        scratch.with(queries.rows * padded) { scores in
            unsafe ck_half_scores(
                queries.base + head * size, queries.stride, queries.rows, half.keys(of: head, in: cross),
                cross.positions, size, scores.base)
            for row in 0..<queries.rows {
                for column in 0..<columns { result.append(scores[row * padded + column] * scale) }
            }
        }
        return result
    }

    /// The keys of one head in float32, `[d, paddedPositions]`.
    private func widenedKeys(of cross: CrossAttentionCache, half: CrossAttentionCache.Half, head: Int) -> Tensor {
        let size = cross.headSize, padded = cross.paddedPositions
        guard let keys = try? Tensor(count: size * padded) else {
            preconditionFailure("no memory for \(size * padded) intermediate values")
        }
        let from = unsafe half.keys(of: head, in: cross)
        for block in 0..<(padded / 32) {
            for i in 0..<size {
                unsafe ck_widen_half(from + (block * size + i) * 32, keys.base + i * padded + block * 32, 32)
            }
        }
        return keys
    }
}

extension CrossAttentionCache.Half {
    fileprivate func keys(of head: Int, in cache: CrossAttentionCache) -> UnsafeMutablePointer<UInt16> {
        unsafe keys.base.assumingMemoryBound(to: UInt16.self) + head * cache.headSize * cache.paddedPositions
    }

    fileprivate func values(of head: Int, in cache: CrossAttentionCache) -> UnsafeMutablePointer<UInt16> {
        unsafe values.base.assumingMemoryBound(to: UInt16.self) + head * cache.positions * cache.headSize
    }
}
