import CKernels

/// What relative attention (Transformer-XL) needs besides queries, keys and values, for all heads of a layer.
package struct RelativePositions: Sendable {
    /// The projected positions: row r is for the distance `reach − r` of a query from a key, `[2 · reach + 1, heads ·
    /// d]`.
    package let table: Tensor
    /// u, added to the queries for their products with keys, `[heads · d]`.
    package let keyBias: Tensor
    /// v, added to them for their products with positions, `[heads · d]`.
    package let positionBias: Tensor
    package let heads: Int

    package init(table: Tensor, keyBias: Tensor, positionBias: Tensor, heads: Int) {
        precondition(
            keyBias.count == positionBias.count && keyBias.count % heads == 0
                && table.count / keyBias.count % 2 == 1 && table.count % keyBias.count == 0,
            "a table of \(table.count) for rows of \(keyBias.count) and \(positionBias.count), \(heads) heads")
        self.table = table
        self.keyBias = keyBias
        self.positionBias = positionBias
        self.heads = heads
    }

    var width: Int { keyBias.count }
    var rows: Int { table.count / width }
    /// The greatest distance.
    package var reach: Int { rows / 2 }

    /// The rows for the distances of the queries, which have the last places among the keys, from all keys: from
    /// `keys − 1` to `1 − queries`.
    func rows(queries: Int, keys: Int) -> TensorView {
        precondition(
            queries > 0 && queries <= keys && keys <= reach + 1,
            "\(queries) queries, \(keys) keys with positions up to \(reach)")
        return table.rows(keys + queries - 1, columns: width, from: (reach + 1 - keys) * width)
    }
}

/// Relative positions in the layout that their backend multiplies fastest.
package protocol PackedPositions: Sendable {
    /// The greatest distance of a query from a key.
    var reach: Int { get }
}

/// Unpacked.
extension RelativePositions: PackedPositions {}

/// Positions for the kernels, a weight for each head.
///
/// Invariant: written only in `init`.
@safe
final class PositionTiles: PackedPositions {
    package let reach: Int
    let heads: Int
    let kernels: TileKernels
    private let keyBias: Tensor
    private let positionBias: Tensor
    private let words: MemoryBlock
    /// For integers, the scales of all rows of a head, padded to whole panels, and a vector more.
    private let scales: Tensor?
    private let headBytes: Int
    private let headScales: Int

    init(_ positions: RelativePositions, kernels: TileKernels, arena: WeightArena) throws(ComputeError) {
        self.kernels = kernels
        reach = positions.reach
        heads = positions.heads
        keyBias = positions.keyBias
        positionBias = positions.positionBias
        let rows = positions.rows, size = positions.width / positions.heads
        let padded = kernels.panels(rows) * kernels.panel
        headBytes = 4 * padded * kernels.steps(size)
        headScales = padded + Self.overhang
        words = try arena.block(count: positions.heads * headBytes)
        scales = kernels.kind.isInteger ? try arena.tensor(count: positions.heads * headScales) : nil
        guard !arena.isFilled else { return }
        for head in 0..<positions.heads {
            unsafe kernels.functions.pointee.pack(
                positions.table.base + head * size, positions.width, rows, size, 1, 0, kernels.panels(rows),
                words.base + head * headBytes, scales.map { unsafe $0.base + head * headScales }, nil)
        }
    }

    /// The largest vector, which kernels read beyond the last row.
    private static let overhang = 16

    /// The positions of a head for queries of which the first has the place `first` among the keys.
    func relative(head: Int, first: Int) -> ck_relative {
        let size = keyBias.count / heads
        return unsafe ck_relative(
            words: words.base + head * headBytes,
            scales: scales.map { unsafe UnsafePointer($0.base + head * headScales) },
            u: keyBias.base + head * size, v: positionBias.base + head * size, at: reach - first)
    }
}

extension KernelBackend {
    package func prepare(_ positions: RelativePositions) throws -> any PackedPositions {
        guard let kind = tiles?.fine, let kernels = TileKernels(kind) else {
            let table = positions.table
            return RelativePositions(
                table: arena.isFilled ? try arena.tensor(count: table.count) : try arena.kept(table),
                keyBias: positions.keyBias, positionBias: positions.positionBias, heads: positions.heads)
        }
        return try PositionTiles(positions, kernels: kernels, arena: arena)
    }

    package func attention(
        queries: TensorView, keys: TensorView, values: TensorView, positions: any PackedPositions, into out: TensorView
    ) {
        precondition(
            keys.rows >= queries.rows && values.rows == keys.rows && keys.rows <= positions.reach + 1,
            "\(queries.rows) queries, \(keys.rows) keys, positions up to \(positions.reach)")
        if let positions = positions as? PositionTiles {
            return attention(
                queries: queries, keys: keys, values: values, heads: positions.heads, kernels: positions.kernels,
                positions: positions, into: out)
        }
        guard let positions = positions as? RelativePositions else {
            preconditionFailure("positions of another backend")
        }
        let blocks = (queries.rows + Self.queryBlock - 1) / Self.queryBlock
        share(positions.heads * blocks, minimum: 1) { tasks in
            for task in tasks {
                let first = task % blocks * Self.queryBlock
                attention(
                    queries: queries, first..<min(first + Self.queryBlock, queries.rows), keys: keys, values: values,
                    positions: positions, head: task / blocks, into: out)
            }
        }
    }

    /// Relative attention of one head for the queries in `rows`, with a library's product on the calling thread.
    private func attention(
        queries: TensorView, _ rows: Range<Int>, keys: TensorView, values: TensorView, positions: RelativePositions,
        head: Int, into out: TensorView
    ) {
        let count = keys.rows, size = queries.columns / positions.heads
        let columns = (head * size)..<((head + 1) * size)
        let table = positions.rows(queries: queries.rows, keys: count)
        let own = queries.slice(rows: rows).slice(columns: columns)
        scratch.with(rows.count * (size + count + table.rows)) { block in
            let scores = block.rows(rows.count, columns: count)
            let more = block.rows(rows.count, columns: table.rows, from: rows.count * count)
            let biased = block.rows(rows.count, columns: size, from: rows.count * (count + table.rows))
            for (bias, other, product) in [
                (positions.keyBias, keys, scores), (positions.positionBias, table, more),
            ] {
                for row in 0..<rows.count {
                    let at = biased.offset + row * size
                    block.copy(own.tensor, from: own.offset + row * own.stride, count: size, at: at)
                    block.add(bias, from: columns.lowerBound, count: size, at: at)
                }
                unsafe self.product.multiply(
                    m: rows.count, n: other.rows, k: size, a: biased.base, aStride: size,
                    b: other.base + columns.lowerBound, bStride: other.stride, transposedB: true, accumulate: false,
                    c: product.base, cStride: product.stride)
            }
            for row in 0..<rows.count {
                // Row 0 of the table is for the last query and the first key.
                block.add(
                    block, from: more.offset + row * table.rows + queries.rows - 1 - rows.lowerBound - row,
                    count: count, at: row * count)
            }
            unsafe ck_softmax(scores.base, count, rows.count, count, 1 / Float(size).squareRoot())
            unsafe product.multiply(
                m: rows.count, n: size, k: count, a: scores.base, aStride: count,
                b: values.base + columns.lowerBound, bStride: values.stride, transposedB: false, accumulate: false,
                c: out.row(rows.lowerBound) + columns.lowerBound, cStride: out.stride)
        }
    }
}

extension ReferenceBackend {
    package func prepare(_ positions: RelativePositions) throws -> any PackedPositions { positions }

    package func attention(
        queries: TensorView, keys: TensorView, values: TensorView, positions: any PackedPositions, into out: TensorView
    ) {
        guard let positions = positions as? RelativePositions else {
            preconditionFailure("positions of another backend")
        }
        let width = positions.width
        let table = rows(of: positions.table.rows(positions.rows, columns: width))
        let keyRows = rows(of: keys), valueRows = rows(of: values), before = keys.rows - queries.rows
        for (row, query) in rows(of: queries).enumerated() {
            let forKeys = zip(query, positions.keyBias.values(0..<width)).map { $0 + $1 }
            let forPositions = zip(query, positions.positionBias.values(0..<width)).map { $0 + $1 }
            let result = attend(valueRows, columns: width, heads: positions.heads) { part, key in
                dot(forKeys[part], keyRows[key][part])
                    + dot(forPositions[part], table[positions.reach - before - row + key][part])
            }
            out.tensor.write(result, at: out.offset + row * out.stride)
        }
    }
}
