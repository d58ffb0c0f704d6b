import CKernels

/// A weight in 8 bits with a scale for each output.
///
/// Invariant: written once in `init`, only read afterwards.
@safe
final class Int8Matrix: PackedMatrix, @unchecked Sendable {
    let outputs: Int
    let inputs: Int
    /// Inputs, rounded up to a multiple of 4.
    let padded: Int
    /// Blocks of 32 outputs.
    let blocks: Int
    private let bytes: MemoryBlock
    private let scales: Tensor

    /// - Parameters:
    ///   - weight: finite numbers.
    ///   - errors: filled with the length of what each row loses, and its own; `[outputs]` each.
    ///   - share: runs the body over all of 0..<count in parts, on any threads.
    init(
        _ weight: PlainMatrix, errors: (lost: Tensor, whole: Tensor)? = nil,
        share: (_ count: Int, _ body: (Range<Int>) -> Void) -> Void
    ) throws(ComputeError) {
        outputs = weight.outputs
        inputs = weight.inputs
        padded = (inputs + 3) / 4 * 4
        blocks = (outputs + Self.blockRows - 1) / Self.blockRows
        bytes = try MemoryBlock(count: blocks * Self.blockRows * padded)
        scales = try Tensor(count: blocks * Self.blockRows)
        let bytes = bytes, scales = scales, padded = padded, outputs = outputs, inputs = inputs
        func pack(_ from: UnsafePointer<Float>, _ blocks: Range<Int>) {
            unsafe ck_pack_int8(
                from, outputs, inputs, padded, blocks.lowerBound, blocks.upperBound,
                bytes.base.assumingMemoryBound(to: UInt8.self), scales.base, errors?.lost.base, errors?.whole.base)
        }
        let rooms = ScratchPool()
        share(blocks) { blocks in
            switch weight.storage {
            case .full(let numbers):
                unsafe pack(numbers.base + blocks.lowerBound * Self.blockRows * inputs, blocks)
            case .half(let numbers):
                rooms.with(Self.blockRows * inputs) { room in
                    for block in blocks {
                        let first = block * Self.blockRows * inputs
                        let count = min(Self.blockRows * inputs, outputs * inputs - first)
                        unsafe numbers.widen(from: first, count: count, into: room.base)
                        unsafe pack(room.base, block..<(block + 1))
                    }
                }
            }
        }
    }

    private static let blockRows = 32

    var weights: ck_int8_weights {
        unsafe ck_int8_weights(
            bytes: bytes.base.assumingMemoryBound(to: UInt8.self), scales: scales.base, outputs: outputs)
    }

    /// The number that a weight has become.
    func value(output: Int, input: Int) -> Float {
        precondition((0..<outputs).contains(output) && (0..<inputs).contains(input), "\(output), \(input)")
        let block = output / Self.blockRows * Self.blockRows * padded
        let at = block + input / 4 * 4 * Self.blockRows + output % Self.blockRows * 4 + input % 4
        return Float(Int(unsafe bytes.base.load(fromByteOffset: at, as: UInt8.self)) - 128) * scales[output]
    }
}

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
