import CKernels

/// What an operation has to do: its arithmetic, and the weights and cached numbers that it reads.
package struct OperationWork: Sendable, Hashable {
    /// Multiplications and additions of the formula.
    package var operations: Int
    /// The format of the instructions that multiply.
    package var kind: TileKind
    /// How many of their multiplications a multiplication of the formula takes.
    package var passes: Int
    /// Bytes of weights and cached keys and values. What one operation leaves for the next could stay in the cache.
    package var bytes: Int

    package init(operations: Int, kind: TileKind = .float32, passes: Int = 1, bytes: Int = 0) {
        self.operations = operations
        self.kind = kind
        self.passes = passes
        self.bytes = bytes
    }

    /// A product of rows and a weight.
    package static func product(
        rows: Int, outputs: Int, inputs: Int, kind: TileKind, passes: Int = 1, bytes: Int
    ) -> OperationWork {
        OperationWork(operations: 2 * rows * outputs * inputs, kind: kind, passes: passes, bytes: bytes)
    }

    /// Attention of all heads, `columns` together, over keys and values in the cache.
    ///
    /// - Parameter isRelative: whether scores have a part for the distance, too.
    package static func attention(
        queries: Int, keys: Int, columns: Int, isRelative: Bool = false, kind: TileKind
    ) -> OperationWork {
        OperationWork(operations: (isRelative ? 6 : 4) * queries * keys * columns, kind: kind)
    }

    /// Attention over the keys and values of earlier tokens.
    ///
    /// - Parameter counts: the number of tokens that each row sees.
    package static func cachedAttention(counts: [Int], columns: Int) -> OperationWork {
        let size = MemoryLayout<Float>.stride
        return OperationWork(
            operations: 4 * counts.reduce(0, +) * columns, bytes: 2 * (counts.max() ?? 0) * columns * size)
    }

    /// Attention of rows over the keys and values of a window.
    package static func crossAttention(
        rows: Int, positions: Int, columns: Int, precision: CachePrecision
    ) -> OperationWork {
        OperationWork(
            operations: 4 * rows * positions * columns, bytes: 2 * positions * columns * precision.bytes)
    }
}

extension PackedMatrix {
    /// The work of multiplying rows by this weight.
    ///
    /// - Parameter scans: whether only the greatest numbers of a table's product must be exact.
    func work(rows: Int, scans: Bool = false) -> OperationWork {
        switch self {
        case let tiles as PackedTiles:
            .product(rows: rows, outputs: outputs, inputs: inputs, kind: tiles.kind, bytes: tiles.byteCount)
        case let table as RankedTable: scans ? table.scan.work(rows: rows) : table.table.work(rows: rows)
        case let bytes as Int8Matrix:
            // Numbers of two bytes are multiplied by bytes, or by 16-bit integers without instructions for bytes.
            TileKernels(.int8) == nil
                ? .product(rows: rows, outputs: outputs, inputs: inputs, kind: .int16, bytes: bytes.byteCount)
                : .product(rows: rows, outputs: outputs, inputs: inputs, kind: .int8, passes: 2, bytes: bytes.byteCount)
        case let plain as PlainMatrix:
            .product(rows: rows, outputs: outputs, inputs: inputs, kind: .float32, bytes: plain.byteCount)
        default:
            .product(
                rows: rows, outputs: outputs, inputs: inputs, kind: .float32,
                bytes: outputs * inputs * MemoryLayout<Float>.stride)
        }
    }
}
