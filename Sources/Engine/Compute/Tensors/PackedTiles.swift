import CKernels

/// A number format of the engine's kernels for many-row products with packed weights.
enum TileKind: Int32, CaseIterable, Sendable {
    case float32 = 0
    case bfloat16 = 1
    case int8 = 2

    /// - Returns: `nil` if this processor has no kernels for the type, and for `auto`.
    init?(_ type: ComputeType) {
        switch type {
        case .auto: return nil
        case .float32: self = .float32
        case .bfloat16: self = .bfloat16
        case .int8: self = .int8
        }
        guard isAvailable else { return nil }
    }

    var isAvailable: Bool { ck_has_tiles(rawValue) != 0 }

    /// The format for attention scores and weights, for which 8 bits are too coarse.
    var forAttention: TileKind {
        switch self {
        case .float32: .float32
        case .bfloat16: .bfloat16
        case .int8: Self.bfloat16.isAvailable ? .bfloat16 : .float32
        }
    }

    /// The format of a weight. Layers with a multiple of their outputs as inputs follow a GELU, whose rows have a few
    /// large and many small values; 8 bits would keep only the large ones.
    func forWeight(outputs: Int, inputs: Int) -> TileKind {
        inputs > outputs && inputs % outputs == 0 ? forAttention : self
    }

    /// The number of elements in a 32-bit word.
    var numbers: Int {
        switch self {
        case .float32: 1
        case .bfloat16: 2
        case .int8: 4
        }
    }

    /// The number of 32-bit words for `count` elements.
    func steps(_ count: Int) -> Int { ck_tile_steps(rawValue, count) }
}

/// A weight packed for many-row products; see CKTiles.h for the layout.
///
/// Invariant: written only in `init`.
@safe
final class PackedTiles: PackedMatrix {
    let kind: TileKind
    let outputs: Int
    let inputs: Int
    /// 32-bit words in the format `kind`.
    private let words: Tensor
    /// For int8, the scales of the outputs followed by the sums of their bytes.
    private let scales: Tensor?

    init(
        _ weight: Tensor, outputs: Int, inputs: Int, kind: TileKind, pool: WorkerPool
    ) throws(ComputeError) {
        self.kind = kind
        self.outputs = outputs
        self.inputs = inputs
        let panels = ck_tile_panels(outputs), padded = panels * Int(CK_PANEL)
        words = try Tensor(count: padded * kind.steps(inputs))
        scales = kind == .int8 ? try Tensor(count: 2 * padded) : nil
        pool.run(parts: panels) { panel in
            unsafe ck_tile_pack(
                kind.rawValue, weight.base, inputs, outputs, inputs, panel, panel + 1, words.base, scales?.base,
                scales.map { unsafe $0.base + padded })
        }
    }

    /// `y = activation(x · wᵀ + bias)` or `y += …` on the calling thread.
    ///
    /// - Parameter scratch: at least `scratchCount` floats.
    func multiply(
        _ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, scratch: Tensor, into y: TensorView
    ) {
        let steps = kind.steps(inputs), maxRows = Int(CK_MAX_ROWS)
        let tiles = unsafe ck_tiles(
            words: words.base, scales: scales?.base,
            sums: scales.map { unsafe UnsafeRawPointer($0.base + $0.count / 2) }, outputs: outputs, steps: steps)
        for first in stride(from: 0, to: x.rows, by: maxRows) {
            let count = min(maxRows, x.rows - first)
            let rowScales = unsafe kind == .int8 ? scratch.base + maxRows * steps : nil
            unsafe ck_tile_rows(kind.rawValue, x.row(first), x.stride, count, inputs, scratch.base, rowScales)
            unsafe withUnsafePointer(to: tiles) { tiles in
                unsafe ck_tile_multiply(
                    kind.rawValue, scratch.base, rowScales, count, tiles, bias?.base, activation == .gelu ? 1 : 0,
                    accumulate ? 1 : 0, y.row(first), y.stride)
            }
        }
    }

    /// The number of scratch floats that `multiply` needs.
    var scratchCount: Int { Int(CK_MAX_ROWS) * (kind.steps(inputs) + 1) }

    /// Copies row `index` in the precision of its format.
    func copyRow(_ index: Int, to tensor: Tensor, at offset: Int) {
        precondition(index >= 0 && index < outputs, "row \(index) of \(outputs)")
        let panel = Int(CK_PANEL), steps = kind.steps(inputs)
        for i in 0..<inputs {
            let step = i / kind.numbers
            let bits = words[(index / panel * steps + step) * panel + index % panel].bitPattern
            let part = UInt32(i % kind.numbers)
            tensor[offset + i] =
                switch kind {
                case .float32: Float(bitPattern: bits)
                case .bfloat16: Float(bitPattern: part == 0 ? bits << 16 : bits & 0xffff_0000)
                case .int8:
                    Float(Int8(truncatingIfNeeded: Int32(bitPattern: bits >> (8 * part)))) * (scales?[index] ?? 0)
                }
        }
    }
}
