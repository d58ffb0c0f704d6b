import CKernels
import EngineWeights

/// An 8-bit weight with one scale per output.
///
/// Invariant: written only in `init`.
@safe
package final class Int8Matrix: PackedMatrix, @unchecked Sendable {
    package let outputs: Int
    package let inputs: Int
    /// The number of inputs rounded up to a multiple of 4.
    let padded: Int
    /// The number of blocks of 32 outputs.
    let blocks: Int
    private let bytes: MemoryBlock
    private let scales: Tensor

    /// - Parameters:
    ///   - rows: finite numbers.
    ///   - errors: filled with the norm of each row's quantization error and of the row itself; `[outputs]` each.
    ///   - share: splits 0..<count into ranges and calls its body for each, on any thread.
    /// - Throws: `ComputeError.outOfMemory` and the errors of `MatrixRows.read`.
    init(
        _ rows: any MatrixRows, errors: (quantization: Tensor, norm: Tensor)? = nil, arena: WeightArena,
        share: (_ count: Int, _ body: (Range<Int>) -> Void) -> Void
    ) throws {
        outputs = rows.outputs
        inputs = rows.inputs
        padded = (inputs + 3) / 4 * 4
        blocks = (outputs + Self.blockRows - 1) / Self.blockRows
        bytes = try arena.block(count: blocks * Self.blockRows * padded)
        scales = try arena.tensor(count: blocks * Self.blockRows)
        let bytes = bytes, scales = scales, padded = padded, outputs = outputs, inputs = inputs
        if arena.isFilled { return }
        let failure = FirstFailure<ModelError>()
        share(blocks) { blocks in
            for block in blocks {
                let first = block * Self.blockRows
                do throws(ModelError) {
                    unsafe try rows.read(first..<min(first + Self.blockRows, outputs)) { numbers in
                        unsafe ck_pack_int8(
                            numbers, outputs, inputs, padded, block, block + 1,
                            bytes.base.assumingMemoryBound(to: UInt8.self), scales.base, errors?.quantization.base,
                            errors?.norm.base)
                    }
                } catch { failure.record(error, in: block) }
            }
        }
        try failure.check()
    }

    private static let blockRows = 32

    var weights: ck_int8_weights {
        unsafe ck_int8_weights(
            bytes: bytes.base.assumingMemoryBound(to: UInt8.self), scales: scales.base, outputs: outputs)
    }

    /// The dequantized value of an element.
    func value(output: Int, input: Int) -> Float {
        precondition((0..<outputs).contains(output) && (0..<inputs).contains(input), "\(output), \(input)")
        let block = output / Self.blockRows * Self.blockRows * padded
        let at = block + input / 4 * 4 * Self.blockRows + output % Self.blockRows * 4 + input % 4
        return Float(Int(unsafe bytes.base.load(fromByteOffset: at, as: UInt8.self)) - 128) * scales[output]
    }
}

/// A table whose rows are looked up, and of whose product usually only the top values are needed.
///
/// A product is first approximated in 8 bits. Rows that may be among the top values are then recomputed exactly, so
/// that the top values equal those of the full product.
final class RankedTable: PackedMatrix {
    let outputs: Int
    let inputs: Int
    /// The exact weight.
    let table: PlainMatrix
    /// The 8-bit approximation.
    let scan: Int8Matrix
    /// For each row, the maximum error of the approximation for an input of norm 1.
    ///
    /// With ŵ a row in 8 bits and x̂ the input in 16, |x·w − x̂·ŵ| ≤ |x|·|w − ŵ| + |x − x̂|·|ŵ|. The input's error is
    /// at most half a step in each of k elements, and a step is max|x| / 32512 ≤ |x| / 32512, so |x − x̂| ≤ |x|·√k /
    /// 65024. Float32 rounding in this product and in the full one adds less than 4·k·2⁻²⁴·|x|·|w| (k additions each,
    /// plus the last three multiplications of the approximation).
    let radius: Tensor

    init(
        _ table: PlainMatrix, arena: WeightArena, scratch: ScratchPool,
        share: (_ count: Int, _ body: (Range<Int>) -> Void) -> Void
    ) throws {
        self.table = table
        outputs = table.outputs
        inputs = table.inputs
        let errors = try arena.tensor(count: outputs), norms = try Tensor(count: outputs)
        scan = try Int8Matrix(
            PlainRows(table, scratch: scratch), errors: (errors, norms), arena: arena, share: share)
        radius = errors
        if arena.isFilled { return }
        let k = Float(inputs)
        let rounding = k.squareRoot() / 65_024 + 4 * (k + 4) * 0x1p-24
        for row in 0..<outputs {
            // The factor covers the float32 rounding of the norms themselves.
            radius[row] = (errors[row] + rounding * (norms[row] + errors[row])) * 1.001
        }
    }
}
