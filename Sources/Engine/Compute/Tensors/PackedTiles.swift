import CKernels

/// A number format in which the own kernels multiply many rows with packed weights.
enum TileKind: Int32, CaseIterable, Sendable {
    case float32 = 0
    case bfloat16 = 1
    case int8 = 2

    /// - Returns: `nil` where this processor has no kernels for it, and for `auto`.
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

    /// The format of scores and weights of attention: bytes are too coarse for them.
    var forAttention: TileKind {
        switch self {
        case .float32: .float32
        case .bfloat16: .bfloat16
        case .int8: Self.bfloat16.isAvailable ? .bfloat16 : .float32
        }
    }

    /// The format of a weight. Layers with several times as many inputs as outputs take what GELU made: a few large
    /// numbers and many small ones in a row, of which bytes keep only the large.
    func forWeight(outputs: Int, inputs: Int) -> TileKind {
        inputs > outputs && inputs % outputs == 0 ? forAttention : self
    }

    /// Numbers in a word of 32 bits.
    var numbers: Int {
        switch self {
        case .float32: 1
        case .bfloat16: 2
        case .int8: 4
        }
    }

    /// Words of 32 bits that so many numbers take.
    func steps(_ count: Int) -> Int { ck_tile_steps(rawValue, count) }
}

/// A weight packed for products of many rows; see CKTiles.h for the layout.
///
/// Invariant: the blocks are written in `init` alone and only read afterwards.
@safe
final class PackedTiles: PackedMatrix {
    let kind: TileKind
    let outputs: Int
    let inputs: Int
    /// Words of 32 bits, whatever they hold.
    private let words: Tensor
    /// For int8 the outputs' scales, then the sums of their bytes.
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

    /// `y = activation(x · wᵀ + bias)` or `y += …` for some rows, on the calling thread.
    ///
    /// - Parameter room: at least `room` floats.
    func multiply(
        _ x: TensorView, bias: Tensor?, activation: Activation, accumulate: Bool, room: Tensor, into y: TensorView
    ) {
        let steps = kind.steps(inputs), most = Int(CK_MOST_ROWS)
        let tiles = unsafe ck_tiles(
            words: words.base, scales: scales?.base,
            sums: scales.map { unsafe UnsafeRawPointer($0.base + $0.count / 2) }, outputs: outputs, steps: steps)
        for first in stride(from: 0, to: x.rows, by: most) {
            let count = min(most, x.rows - first)
            let rowScales = unsafe kind == .int8 ? room.base + most * steps : nil
            unsafe ck_tile_rows(kind.rawValue, x.row(first), x.stride, count, inputs, room.base, rowScales)
            unsafe withUnsafePointer(to: tiles) { tiles in
                unsafe ck_tile_multiply(
                    kind.rawValue, room.base, rowScales, count, tiles, bias?.base, activation == .gelu ? 1 : 0,
                    accumulate ? 1 : 0, y.row(first), y.stride)
            }
        }
    }

    /// Floats of room that `multiply` wants.
    var room: Int { Int(CK_MOST_ROWS) * (kind.steps(inputs) + 1) }

    /// Copies row `index`, as far as its format holds it.
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
