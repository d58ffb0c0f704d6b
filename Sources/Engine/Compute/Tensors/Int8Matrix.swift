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
    private let pool: WorkerPool
    package let scratch: ScratchPool

    /// - Parameters:
    ///   - rows: finite numbers.
    ///   - errors: filled with the norm of each row's quantization error and of the row itself; `[outputs]` each.
    /// - Throws: `ComputeError.outOfMemory` and the errors of `MatrixRows.read`.
    init(
        _ rows: any MatrixRows, errors: (quantization: Tensor, norm: Tensor)? = nil, arena: WeightArena,
        pool: WorkerPool, scratch: ScratchPool
    ) throws {
        self.pool = pool
        self.scratch = scratch
        outputs = rows.outputs
        inputs = rows.inputs
        padded = (inputs + 3) / 4 * 4
        blocks = (outputs + Self.blockRows - 1) / Self.blockRows
        bytes = try arena.block(count: blocks * Self.blockRows * padded)
        scales = try arena.tensor(count: blocks * Self.blockRows)
        let bytes = bytes, scales = scales, padded = padded, outputs = outputs, inputs = inputs
        if arena.isFilled { return }
        let failure = FirstFailure<ModelError>()
        pool.share(blocks, minimum: 1) { blocks in
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

    /// The bytes that a product reads.
    var byteCount: Int { bytes.count }

    private var weights: ck_int8_weights {
        unsafe ck_int8_weights(
            bytes: bytes.base.assumingMemoryBound(to: UInt8.self), scales: scales.base, outputs: outputs)
    }

    package func copyRow(_ index: Int, to tensor: Tensor, at offset: Int) {
        precondition((0..<outputs).contains(index), "row \(index) of \(outputs)")
        let row = index / Self.blockRows * Self.blockRows * padded + index % Self.blockRows * 4
        for i in 0..<inputs {
            let at = row + i / 4 * 4 * Self.blockRows + i % 4
            tensor[offset + i] =
                Float(Int(unsafe bytes.base.load(fromByteOffset: at, as: UInt8.self)) - 128) * scales[index]
        }
    }

    package func multiply(
        _ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, into y: TensorView
    ) {
        check(x, bias: bias, activation: activation, accumulate: accumulate, into: y)
        let fusedBias = activation == .gelu ? nil : bias
        unsafe withDigits(of: x) { digits in
            pool.share(blocks, minimum: 2) { blocks in
                unsafe withUnsafePointer(to: digits) { digits in
                    unsafe withUnsafePointer(to: weights) { weights in
                        unsafe ck_multiply_int8(
                            digits, weights, fusedBias?.base, y.base, y.stride, blocks.lowerBound, blocks.upperBound,
                            accumulate ? 1 : 0)
                    }
                }
                activate(
                    y, (blocks.lowerBound * 32)..<min(blocks.upperBound * 32, outputs), activation, bias: bias)
            }
        }
    }

    /// Calls `body` with the rows quantized to two bytes per number, in scratch memory.
    private func withDigits(of x: TensorView, _ body: (ck_int8_input) -> Void) {
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
}
