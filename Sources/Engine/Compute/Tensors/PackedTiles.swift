import CKernels
import EngineWeights

/// A weight packed for many-row products; see CKTiles.h for the layout.
///
/// Invariant: written only in `init`.
@safe
final class PackedTiles: PackedMatrix {
    let outputs: Int
    let inputs: Int
    let scratch: ScratchPool
    private let kernels: TileKernels
    private let pool: WorkerPool
    /// 32-bit words in the format of the kernels.
    private let words: MemoryBlock
    /// For integers, the scales of the outputs followed by the sums of their weights.
    private let scales: Tensor?
    /// The largest magnitude of inputs as 16-bit integers for which no sum of products overflows.
    private let limit: Int32
    /// Groups of inputs with a scale of their own.
    private let groups: Int

    /// - Parameters:
    ///   - rows: finite numbers.
    ///   - kind: must be available.
    ///   - groups: of inputs with a scale of their own; 1 except for bytes.
    /// - Throws: `ComputeError.outOfMemory` and the errors of `MatrixRows.read`.
    init(
        _ rows: any MatrixRows, kind: TileKind, groups: Int = 1, arena: WeightArena, pool: WorkerPool,
        scratch: ScratchPool
    ) throws {
        guard let kernels = TileKernels(kind) else { preconditionFailure("no kernels for \(kind)") }
        let outputs = rows.outputs, inputs = rows.inputs
        self.outputs = outputs
        self.inputs = inputs
        self.kernels = kernels
        self.groups = groups
        self.pool = pool
        self.scratch = scratch
        let panels = kernels.panels(outputs), length = kernels.panel, padded = panels * length
        let panelBytes = 4 * length * kernels.steps(inputs)
        let words = try arena.block(count: panels * panelBytes)
        let scales = kind.isInteger ? try arena.tensor(count: (1 + groups) * padded) : nil
        let failure = FirstFailure<ModelError>()
        pool.run(parts: arena.isFilled ? 0 : panels) { panel in
            let first = panel * length, count = min(length, outputs - first)
            do throws(ModelError) {
                unsafe try rows.read(first..<(first + count)) { numbers in
                    unsafe kernels.functions.pointee.pack(
                        numbers, inputs, count, inputs, groups, 0, 1, words.base + panel * panelBytes,
                        scales.map { unsafe $0.base + first },
                        scales.map { unsafe $0.base + padded + groups * first })
                }
            } catch { failure.record(error, in: panel) }
        }
        try failure.check()
        self.words = words
        self.scales = scales
        // |Σ x·w| ≤ max|x| · Σ|w|, and the latter is stored for each output.
        let sums = kind == .int16 ? (0..<outputs).map { Int(scales?[padded + $0].bitPattern ?? 0) } : []
        limit = Int32(min(32767, Int(Int32.max) / max(1, sums.max() ?? 1)))
    }

    /// The number format.
    var kind: TileKind { kernels.kind }

    /// The bytes that a product reads.
    var byteCount: Int { words.count }

    func multiply(_ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, into y: TensorView) {
        check(x, bias: bias, activation: activation, accumulate: accumulate, into: y)
        // Ranges of rows that fill the kernels' tiles, several per thread.
        let tile = Int(CK_TILE_ROWS), tiles = (x.rows + tile - 1) / tile
        let parts = pool.usefulParts
        let run = tile * min(Int(CK_MAX_ROWS) / tile, max(1, (tiles + parts - 1) / parts))
        pool.run(parts: (x.rows + run - 1) / run) { part in
            let rows = (part * run)..<min(x.rows, (part + 1) * run)
            scratch.with(scratchCount) { scratch in
                multiply(
                    x.slice(rows: rows), bias: bias, activation: activation, accumulate: accumulate, scratch: scratch,
                    into: y.slice(rows: rows))
            }
        }
    }

    /// The product for at most `CK_MAX_ROWS` rows on the calling thread.
    ///
    /// - Parameter scratch: at least `scratchCount` floats.
    func multiply(
        _ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, scratch: Tensor, into y: TensorView
    ) {
        let tiles = unsafe tiles
        unsafe withUnsafePointer(to: tiles) { tiles in
            unsafe kernels.functions.pointee.multiply(
                tiles, x.base, x.stride, x.rows, bias?.base, activation.code, accumulate ? 1 : 0,
                scratch.base, y.base, y.stride)
        }
    }

    /// The number of scratch floats that `multiply` needs.
    var scratchCount: Int { kind == .float32 ? 0 : Int(CK_MAX_ROWS) * kernels.steps(inputs) }

    private var tiles: ck_tiles {
        unsafe ck_tiles(
            words: words.base, scales: scales?.base,
            sums: scales.map { unsafe UnsafeRawPointer($0.base + $0.count / (1 + groups)) }, outputs: outputs,
            inputs: inputs, groups: groups, limit: limit)
    }

    /// Whether the kernels can multiply these rows where they are: all rows and parts begin at whole words, and parts have
    /// whole runs of words.
    private func canConvolve(_ rows: ConvolutionLayout) -> Bool {
        kind != .int8 && rows.partColumns % (kind.numbers * kernels.run) == 0
            && [rows.partStride, rows.input.row, rows.input.group].allSatisfy { $0 % kind.numbers == 0 }
    }

    /// Converts the input to the numbers of the format once, however often a row overlaps others.
    func convolve(_ x: Tensor, _ rows: ConvolutionLayout, bias: Tensor?, accumulate: Bool, into y: Tensor) {
        guard canConvolve(rows) else { return gather(x, rows, bias: bias, accumulate: accumulate, into: y) }
        rows.check(x, y, self)
        precondition(bias == nil || bias?.count == outputs, "bias of \(bias?.count ?? 0)")
        scratch.with(kind == .float32 ? 0 : kernels.steps(rows.inputRange.count)) { scratch in
            convolve(x, rows, bias: bias, accumulate: accumulate, scratch: scratch, into: y)
        }
    }

    /// - Parameter scratch: for the input in the format, unless that is float32.
    private func convolve(
        _ x: Tensor, _ rows: ConvolutionLayout, bias: Tensor?, accumulate: Bool, scratch: Tensor, into y: Tensor
    ) {
        let range = rows.inputRange, numbers = unsafe x.base + range.lowerBound
        let words = unsafe UnsafeMutableRawPointer(kind == .float32 ? numbers : scratch.base)
            .assumingMemoryBound(to: UInt32.self)
        var scale: Float = 1
        if kind != .float32 { unsafe scale = kernels.functions.pointee.words_of(numbers, range.count, limit, words) }
        let tiles = unsafe tiles, perWord = kind.numbers
        unsafe withUnsafePointer(to: tiles) { tiles in
            for group in 0..<rows.groups {
                unsafe kernels.functions.pointee.convolve(
                    tiles, words + group * rows.input.group / perWord, rows.input.row / perWord, rows.parts,
                    rows.partStride / perWord, scale, rows.rows, bias?.base, accumulate ? 1 : 0,
                    y.base + rows.output.offset(group: group), rows.output.row)
            }
        }
    }

    /// Copies row `index` in the precision of its format.
    func copyRow(_ index: Int, to tensor: Tensor, at offset: Int) {
        precondition(index >= 0 && index < outputs, "row \(index) of \(outputs)")
        let panel = kernels.panel, steps = kernels.steps(inputs), run = kernels.run, scale = scales?[index] ?? 0
        for i in 0..<inputs {
            let step = i / kind.numbers
            let word = (index / panel * steps + step / run * run) * panel + index % panel * run + step % run
            let bits = unsafe words.base.load(fromByteOffset: 4 * word, as: UInt32.self)
            let part = UInt32(i % kind.numbers)
            tensor[offset + i] =
                switch kind {
                case .float32: Float(bitPattern: bits)
                case .bfloat16: Float(bitPattern: part == 0 ? bits << 16 : bits & 0xffff_0000)
                case .int16: Float(Int16(truncatingIfNeeded: bits >> (16 * part))) * scale
                case .int8: Float(Int8(truncatingIfNeeded: bits >> (8 * part))) * scale
                }
        }
    }
}
