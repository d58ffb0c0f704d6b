import CKernels

/// Products with a few rows, as in decoding. They are bound by memory bandwidth, so weights are stored in as few bytes
/// as the compute type allows.
extension KernelBackend {
    /// The keys and values of a window are read once per token, like a weight.
    package var cachePrecision: CachePrecision { computeType == .float32 ? .float32 : .float16 }

    func prepareFewRows(_ rows: any MatrixRows, for use: MatrixUse) throws -> any PackedMatrix {
        func share(_ count: Int, _ body: (Range<Int>) -> Void) { self.share(count, minimum: 1, body) }
        if computeType == .int8, use == .fewRows { return try Int8Matrix(rows, arena: arena, share: share) }
        let plain = PlainMatrix(storage: try storage(of: rows), outputs: rows.outputs, inputs: rows.inputs)
        guard use == .table, computeType != .float32 else { return plain }
        return try RankedTable(plain, arena: arena, scratch: scratch, share: share)
    }

    /// Published weights are float16 numbers: keeping them so halves the bytes that decoding reads, with equal results.
    private func storage(of rows: any MatrixRows) throws -> PlainMatrix.Storage {
        func share(_ count: Int, _ body: (Range<Int>) -> Void) { self.share(count, minimum: 1, body) }
        if let halves = rows.halves { return .half(try HalfTensor(reading: halves, arena: arena, by: self)) }
        let isHalf = try arena.block(count: 1), count = rows.outputs * rows.inputs
        if arena.isFilled {
            if isHalf.flag { return .half(HalfTensor(try arena.block(count: 2 * count))) }
            return .full(try arena.tensor(count: count))
        }
        let weight = try rows.floats(by: self)
        var half = try HalfTensor(exactly: weight, share: share)
        if half == nil, computeType != .float32 { half = try HalfTensor(rounding: weight, share: share) }
        isHalf.flag = half != nil
        if let half { return .half(try half.kept(in: arena)) }
        return .full(try arena.kept(weight))
    }

    /// `linear` with an 8-bit weight, for any number of rows.
    package func multiply(
        _ x: TensorView, _ weight: Int8Matrix, bias: Tensor?, activation: Activation, accumulate: Bool,
        into y: TensorView
    ) {
        precondition(
            x.columns == weight.inputs && y.columns == weight.outputs && x.rows == y.rows,
            "\(x.rows) × \(x.columns) by \(weight.outputs) × \(weight.inputs) into \(y.rows) × \(y.columns)")
        precondition(bias == nil || bias?.count == weight.outputs, "bias of \(bias?.count ?? 0)")
        let fusedBias = activation == .none ? bias : nil
        unsafe withDigits(of: x, padded: weight.padded) { digits in
            share(weight.blocks, minimum: 2) { blocks in
                unsafe withUnsafePointer(to: digits) { digits in
                    unsafe withUnsafePointer(to: weight.weights) { weights in
                        unsafe ck_multiply_int8(
                            digits, weights, fusedBias?.base, y.base, y.stride, blocks.lowerBound, blocks.upperBound,
                            accumulate ? 1 : 0)
                    }
                }
                if activation == .gelu {
                    let columns = (blocks.lowerBound * 32)..<min(blocks.upperBound * 32, weight.outputs)
                    gelu(y.slice(columns: columns), bias: bias, from: columns.lowerBound)
                }
            }
        }
    }

    /// Calls `body` with the rows quantized to two bytes per number, in scratch memory.
    private func withDigits(of x: TensorView, padded: Int, _ body: (ck_int8_input) -> Void) {
        // The digits and the whole numbers, each measured in floats, are followed by a scale and two sums per row.
        let size = (2 * padded * x.rows + 63) / 64 * 16
        scratch.with(2 * size + 3 * x.rows) { block in
            let block = unsafe UnsafeMutableRawPointer(block.base)
            let digits = unsafe block.assumingMemoryBound(to: Int8.self)
            let whole = unsafe (block + 4 * size).assumingMemoryBound(to: Int16.self)
            let scales = unsafe (block + 8 * size).assumingMemoryBound(to: Float.self)
            let sums = unsafe (block + 8 * size + 4 * x.rows).assumingMemoryBound(to: Int32.self)
            unsafe ck_split_rows(x.base, x.stride, x.rows, x.columns, padded, digits, whole, scales, sums)
            unsafe body(
                ck_int8_input(
                    digits: digits, whole: whole, scales: scales, sums: sums, rows: x.rows, padded: padded))
        }
    }

    package func scores(_ x: TensorView, _ table: any PackedMatrix, needs: ScoreNeeds?, into y: TensorView) {
        guard let needs, let table = table as? RankedTable else {
            return linear(x, table, bias: nil, activation: .none, accumulate: false, into: y)
        }
        multiply(x, table.scan, bias: nil, activation: .none, accumulate: false, into: y)
        let exactFrom = min(max(0, needs.exactFrom), table.outputs)
        share(x.rows, minimum: 1) { rows in
            scratch.with(Self.maxCandidates + needs.best) { scratch in
                for row in rows {
                    refine(
                        x.slice(rows: row..<(row + 1)), table, needs, exactFrom, scratch, y.slice(rows: row..<(row + 1))
                    )
                }
            }
        }
        share(table.outputs - exactFrom, minimum: 64) { columns in
            exact(x, table.table, (exactFrom + columns.lowerBound)..<(exactFrom + columns.upperBound), into: y)
        }
    }

    /// With more candidates than this, the whole product is computed exactly.
    private static let maxCandidates = 4096

    /// Replaces the approximate values of one row of `y` by exact ones where `needs` requires it, up to column `end`.
    private func refine(
        _ x: TensorView, _ table: RankedTable, _ needs: ScoreNeeds, _ end: Int, _ scratch: Tensor, _ y: TensorView
    ) {
        for column in needs.never where column >= 0 && column < y.columns {
            unsafe y.base[column] = -.infinity
        }
        let norm = unsafe ck_length(x.base, x.columns)
        let count = unsafe scratch.base.withMemoryRebound(to: Int32.self, capacity: Self.maxCandidates) { candidates in
            let count = unsafe ck_candidates(
                y.base, table.radius.base, norm, end, needs.best, scratch.base + Self.maxCandidates, candidates,
                Self.maxCandidates)
            for index in 0..<max(0, count) {
                let column = unsafe Int(candidates[index])
                exact(x, table.table, column..<(column + 1), into: y)
            }
            return count
        }
        if count < 0 { exact(x, table.table, 0..<end, into: y) }
    }

    private func exact(_ x: TensorView, _ table: PlainMatrix, _ columns: Range<Int>, into y: TensorView) {
        fewRows(x, table, bias: nil, activation: .none, accumulate: false, columns, into: y)
    }
}
