import CKernels

/// Products of many rows and attention over whole windows, by kernels that take packed weights.
extension KernelBackend {
    func linear(
        _ x: TensorView, _ weight: PackedTiles, bias: Tensor?, activation: Activation, accumulate: Bool,
        into y: TensorView
    ) {
        precondition(
            x.columns == weight.inputs && y.columns == weight.outputs && x.rows == y.rows,
            "\(x.rows) × \(x.columns) by \(weight.outputs) × \(weight.inputs) into \(y.rows) × \(y.columns)")
        precondition(bias == nil || bias?.count == weight.outputs, "bias of \(bias?.count ?? 0)")
        precondition(!(accumulate && activation == .gelu), "no activation on a sum")
        share(x.rows, most: Int(CK_MOST_ROWS)) { rows in
            scratch.with(weight.room) { room in
                weight.multiply(
                    x.slice(rows: rows), bias: bias, activation: activation, accumulate: accumulate, room: room,
                    into: y.slice(rows: rows))
            }
        }
    }

    /// Shares rows out in runs of at most `most`, several for each thread, that fill the kernels' tiles.
    private func share(_ rows: Int, most: Int, _ body: (Range<Int>) -> Void) {
        let tile = Int(CK_TILE_ROWS), tiles = (rows + tile - 1) / tile
        let run = tile * min(most / tile, max(1, (tiles + 3 * threads - 1) / (3 * threads)))
        pool.run(parts: (rows + run - 1) / run) { part in body((part * run)..<min(rows, (part + 1) * run)) }
    }

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
                scratch.with(ck_tile_attention_scratch(positions, size)) { room in
                    unsafe ck_tile_attention(
                        kind.rawValue, queries.row(first) + head * size, queries.stride,
                        min(Self.queriesAtOnce, queries.rows - first), size, 1 / Float(size).squareRoot(), from,
                        from + keyWords, positions, room.base, out.row(first) + head * size, out.stride)
                }
            }
        }
    }

    /// Queries of a part: a few times what the kernel takes at once.
    private static let queriesAtOnce = 5 * Int(CK_QUERY_ROWS)
}
