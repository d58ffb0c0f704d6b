import CKernels

/// Products with a few rows, as in decoding. They are bound by memory bandwidth, so weights are stored in as few bytes
/// as the compute type allows.
extension KernelBackend {
    /// The keys and values of a window are read once per token, like a weight.
    package var cachePrecision: CachePrecision { computeType == .float32 ? .float32 : .float16 }

    func prepareFewRows(_ rows: any MatrixRows, for use: MatrixUse) throws -> any PackedMatrix {
        if computeType == .int8, use == .fewRows {
            return try Int8Matrix(rows, arena: arena, pool: pool, scratch: scratch)
        }
        let plain = PlainMatrix(try storage(of: rows), outputs: rows.outputs, inputs: rows.inputs, backend: self)
        return use == .table && computeType != .float32 ? try RankedTable(plain) : plain
    }

    /// Published weights are float16 numbers: keeping them so halves the bytes that decoding reads, with equal results.
    private func storage(of rows: any MatrixRows) throws -> PlainMatrix.Storage {
        if let halves = rows.halves { return .half(try HalfTensor(reading: halves, arena: arena, by: self)) }
        let isHalf = try arena.block(count: 1), count = rows.outputs * rows.inputs
        if arena.isFilled {
            if isHalf.flag { return .half(HalfTensor(try arena.block(count: 2 * count))) }
            return .full(try arena.tensor(count: count))
        }
        let weight = try rows.floats(by: self)
        var half = try HalfTensor(exactly: weight, pool: pool)
        if half == nil, computeType != .float32 { half = try HalfTensor(rounding: weight, pool: pool) }
        isHalf.flag = half != nil
        if let half { return .half(try half.kept(in: arena)) }
        return .full(try arena.kept(weight))
    }
}
