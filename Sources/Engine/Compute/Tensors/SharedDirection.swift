import CKernels
import EngineWeights

/// What the rows of a table have in common, and how much of it each of them has.
///
/// In token tables a few inputs are large in almost all rows, and one scale per row leaves the others few of its 8 bits.
/// Without the common part, the error of a row's 8 bits is a third to an eighth (base, tiny.en).
struct SharedDirection: Sendable {
    /// About the mean of the rows; `[inputs]`.
    let direction: Tensor
    /// How many times it is subtracted from each row; `[outputs]`.
    let shares: Tensor
    private let table: PlainMatrix

    /// The direction need not be the exact mean, so only this many ranges of this many rows are averaged.
    private static let samples = 16, sampledRows = 128

    /// The shares are set when the rows are read.
    init(of table: PlainMatrix) throws {
        self.table = table
        let arena = table.backend.arena, outputs = table.outputs, inputs = table.inputs
        direction = try arena.tensor(count: inputs)
        shares = try arena.tensor(count: outputs)
        if arena.isFilled { return }
        let samples = min(Self.samples, (outputs + Self.sampledRows - 1) / Self.sampledRows)
        let moments = try Tensor(count: 2 * inputs)
        for sample in 0..<samples {
            let first = outputs * sample / samples, rows = min(Self.sampledRows, outputs - first)
            unsafe PlainRows(table).widened(first..<(first + rows)) { numbers in
                unsafe ck_column_moments(numbers, inputs, rows, inputs, moments.base, moments.base + inputs)
            }
            for i in 0..<inputs { direction[i] += moments[i] / Float(samples) }
        }
    }

    /// An upper bound of the direction's norm.
    var length: Float { unsafe ck_length(direction.base, table.inputs) }

    /// The direction's products with rows of inputs.
    func products(with x: TensorView, into products: Tensor) {
        unsafe ck_few_rows(
            x.base, x.stride, x.rows, direction.base, x.columns, x.columns, nil, products.base, 1, 0, 1, 0)
    }

    /// Adds to a row of scores what the rows of the table share.
    ///
    /// - Parameter product: of the direction with the row's input.
    func add(_ product: Float, to scores: TensorView) {
        let to = unsafe scores.base, from = unsafe shares.base
        for column in 0..<scores.columns { unsafe to[column] += product * from[column] }
    }
}

/// The rows of a table without their common part, where that makes their greatest number smaller.
extension SharedDirection: MatrixRows {
    var outputs: Int { table.outputs }
    var inputs: Int { table.inputs }

    func read(_ range: Range<Int>, _ body: (UnsafePointer<Float>) -> Void) throws(ModelError) {
        let inputs = inputs, squares = length * length, common = unsafe direction.base
        unsafe PlainRows(table).widened(range) { numbers in
            table.scratch.with(range.count * (inputs + 1)) { block in
                let products = unsafe block.base + range.count * inputs
                unsafe ck_few_rows(
                    common, inputs, 1, numbers, inputs, inputs, nil, products, range.count, 0, range.count, 0)
                for row in 0..<range.count {
                    let from = unsafe numbers + row * inputs, to = unsafe block.base + row * inputs
                    let share = squares > 0 ? unsafe products[row] / squares : 0
                    for i in 0..<inputs { unsafe to[i] = from[i] - share * common[i] }
                    let isSmaller = unsafe ck_magnitude_bits(to, inputs) < ck_magnitude_bits(from, inputs)
                    if !isSmaller { unsafe to.update(from: from, count: inputs) }
                    shares[range.lowerBound + row] = isSmaller ? share : 0
                }
                unsafe body(block.base)
            }
        }
    }
}
