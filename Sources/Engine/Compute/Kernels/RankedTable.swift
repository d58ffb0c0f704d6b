/// A table whose rows are looked up, and whose product's greatest values are wanted rather than all of them.
///
/// A product is taken in 8 bits first. Rows that may be among the greatest are then computed again by the table's own
/// numbers, so that the greatest and their values are those of the full product.
final class RankedTable: PackedMatrix {
    let outputs: Int
    let inputs: Int
    /// The numbers as they are.
    let table: PlainMatrix
    let scan: Int8Matrix
    /// For each row, how far the scan may be off for an input of length 1.
    ///
    /// With ŵ a row in 8 bits and x̂ the input in 16, |x·w − x̂·ŵ| ≤ |x|·|w − ŵ| + |x − x̂|·|ŵ|. The input's error is
    /// at most half a step in each of k elements, and a step is max|x| / 32512 ≤ |x| / 32512: |x − x̂| ≤ |x|·√k / 65024.
    /// Rounding in float32, of this product and of the full one it stands for, adds less than 4·k·2⁻²⁴·|x|·|w| (k
    /// additions each, and the scan's last three multiplications).
    let radius: Tensor

    init(
        _ table: PlainMatrix, share: (_ count: Int, _ body: (Range<Int>) -> Void) -> Void
    ) throws(ComputeError) {
        self.table = table
        outputs = table.outputs
        inputs = table.inputs
        let lost = try Tensor(count: outputs), whole = try Tensor(count: outputs)
        scan = try Int8Matrix(table, errors: (lost, whole), share: share)
        radius = lost
        let k = Float(inputs)
        let rounding = k.squareRoot() / 65_024 + 4 * (k + 4) * 0x1p-24
        for row in 0..<outputs {
            // The lengths themselves were summed in float32.
            radius[row] = (lost[row] + rounding * (whole[row] + lost[row])) * 1.001
        }
    }
}
