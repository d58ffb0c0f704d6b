import CKernels

/// A table whose rows are looked up, and of whose product usually only the top values are needed.
///
/// A product is first approximated in 8 bits. Rows that may be among the top values are then recomputed exactly, so
/// that the top values equal those of the full product.
final class RankedTable: PackedMatrix {
    let outputs: Int
    let inputs: Int
    var scratch: ScratchPool { table.scratch }
    /// The exact weight.
    let table: PlainMatrix
    /// The 8-bit approximation.
    let scan: Int8Matrix
    /// What the approximation leaves out, and is added to its scores.
    private let shared: SharedDirection
    /// For each row, the maximum error of the approximation for an input of norm 1.
    ///
    /// With w a row without its shared part s, ŵ the same in 8 bits and x̂ the input in 16, |x·w − x̂·ŵ| ≤ |x|·|w − ŵ| +
    /// |x − x̂|·|ŵ|. The input's error is at most half a step in each of k elements, and a step is max|x| / 32512 ≤ |x| /
    /// 32512, so |x − x̂| ≤ |x|·√k / 65024. Float32 rounding in this product, in that with s and in the full one adds less
    /// than 4·k·2⁻²⁴·|x|·(|w| + |s|) (k additions each, plus the last three multiplications of the approximation).
    private let radius: Tensor

    init(_ table: PlainMatrix) throws {
        self.table = table
        let arena = table.backend.arena
        outputs = table.outputs
        inputs = table.inputs
        let errors = try arena.tensor(count: outputs), norms = try Tensor(count: outputs)
        shared = try SharedDirection(of: table)
        scan = try Int8Matrix(
            shared, errors: (errors, norms), arena: arena, pool: table.backend.pool, scratch: table.scratch)
        radius = errors
        if arena.isFilled { return }
        let k = Float(inputs), length = shared.length
        let sums = 4 * (k + 4) * 0x1p-24, rounding = k.squareRoot() / 65_024 + sums
        for row in 0..<outputs {
            let share = sums * abs(shared.shares[row]) * length
            // The factor covers the float32 rounding of the norms themselves.
            radius[row] = (errors[row] + rounding * (norms[row] + errors[row]) + share) * 1.001
        }
    }

    func multiply(_ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, into y: TensorView) {
        table.multiply(x, bias: bias, activation: activation, accumulate: accumulate, into: y)
    }

    func copyRow(_ index: Int, to tensor: Tensor, at offset: Int) { table.copyRow(index, to: tensor, at: offset) }

    func scores(_ x: TensorView, bias: Tensor?, needs: ScoreNeeds?, into y: TensorView) {
        guard let needs else { return multiply(x, bias: bias, activation: .none, accumulate: false, into: y) }
        scan.multiply(x, bias: bias, activation: .none, accumulate: false, into: y)
        let exactFrom = min(max(0, needs.exactFrom), outputs), pool = table.backend.pool
        pool.share(x.rows, minimum: 1) { rows in
            scratch.with(max(rows.count, Self.maxCandidates + needs.best)) { scratch in
                shared.products(with: x.slice(rows: rows), into: scratch)
                for (index, row) in rows.enumerated() { shared.add(scratch[index], to: y.slice(rows: row..<(row + 1))) }
                for row in rows {
                    refine(
                        x.slice(rows: row..<(row + 1)), bias, needs, exactFrom, scratch,
                        y.slice(rows: row..<(row + 1)))
                }
            }
        }
        pool.share(exactFrom..<outputs, minimum: 64) { exact(x, $0, bias, into: y) }
    }

    /// With more candidates than this, the whole product is computed exactly.
    private static let maxCandidates = 4096

    /// Replaces the approximate values of one row of `y` by exact ones where `needs` requires it, up to column `end`.
    private func refine(
        _ x: TensorView, _ bias: Tensor?, _ needs: ScoreNeeds, _ end: Int, _ scratch: Tensor, _ y: TensorView
    ) {
        for column in needs.never where column >= 0 && column < y.columns {
            unsafe y.base[column] = -.infinity
        }
        let norm = unsafe ck_length(x.base, x.columns)
        let count = unsafe scratch.base.withMemoryRebound(to: Int32.self, capacity: Self.maxCandidates) { candidates in
            let count = unsafe ck_candidates(
                y.base, radius.base, norm, end, needs.best, scratch.base + Self.maxCandidates, candidates,
                Self.maxCandidates)
            for index in 0..<max(0, count) {
                let column = unsafe Int(candidates[index])
                exact(x, column..<(column + 1), bias, into: y)
            }
            return count
        }
        if count < 0 { return exact(x, 0..<end, bias, into: y) }
        if needs.preferred.isEmpty || needs.best <= 0 { return }
        // ck_candidates leaves there what none of the top values is below, unless there are few columns.
        let least = end < 128 * needs.best ? -Float.infinity : scratch[Self.maxCandidates + needs.best - 1]
        for preferred in needs.preferred where preferred.column >= 0 && preferred.column < end {
            let column = preferred.column
            let value = unsafe y.base[column], most = value + norm * radius[column]
            if value > -.infinity, !(most + preferred.bonus < least) {
                exact(x, column..<(column + 1), bias, into: y)
            }
        }
    }

    private func exact(_ x: TensorView, _ columns: Range<Int>, _ bias: Tensor?, into y: TensorView) {
        table.fewRows(x, columns, bias: bias, activation: .none, accumulate: false, into: y)
    }
}
