import CKernels

/// A number format of the engine's kernels for many-row products with packed weights.
package enum TileKind: Int32, CaseIterable, Sendable {
    case float32 = 0
    case bfloat16 = 1
    case int8 = 2
    /// 16-bit integers with a scale per row, also used with `ComputeType.int8` for attention, or where the processor
    /// cannot multiply bytes without overflow.
    case int16 = 3

    /// The format for a compute type.
    ///
    /// - Returns: `nil` if this processor has no kernels for the type, and for `auto`.
    package init?(_ type: ComputeType) {
        let kinds: [TileKind] =
            switch type {
            case .auto: []
            case .float32: [.float32]
            case .bfloat16: [.bfloat16]
            case .int16: [.int16]
            case .int8: [.int8, .int16]
            }
        guard let kind = kinds.first(where: \.isAvailable) else { return nil }
        self = kind
    }

    /// Whether the instruction set in use has kernels for the format.
    var isAvailable: Bool { TileKernels(self) != nil }

    /// The format for attention scores and weights and for the first layers, for which 8 bits are too coarse.
    package var fine: TileKind {
        guard self == .int8 else { return self }
        return [.bfloat16, .int16].first(where: \.isAvailable) ?? .float32
    }

    /// The format of a weight.
    func kind(for use: MatrixUse) -> TileKind { use == .firstRows ? fine : self }

    /// The bytes of a packed weight with its scales, padded to whole panels.
    package func bytes(outputs: Int, inputs: Int, for use: MatrixUse) -> Int {
        let kind = kind(for: use)
        guard let kernels = TileKernels(kind) else { return outputs * inputs * MemoryLayout<Float>.stride }
        let scales = kind.isInteger ? 1 + groups(of: inputs, for: use) : 0
        return 4 * kernels.panels(outputs) * kernels.panel * (kernels.steps(inputs) + scales)
    }

    /// The number of groups of inputs with a scale of their own, in which the rows of a weight's input are converted.
    func groups(of inputs: Int, for use: MatrixUse) -> Int {
        let groups = inputs / Self.groupSize
        guard self == .int8, use == .activatedRows, inputs % Self.groupSize == 0, groups <= Int(CK_MAX_GROUPS) else {
            return 1
        }
        return groups
    }

    private static let groupSize = 128

    /// The number of elements in a 32-bit word.
    package var numbers: Int {
        switch self {
        case .float32: 1
        case .bfloat16, .int16: 2
        case .int8: 4
        }
    }

    /// Whether each row and each output has a scale.
    var isInteger: Bool { self == .int8 || self == .int16 }

    /// The formats in use and the instructions that multiply them, such as `int8 (AVX512_VNNI), attention in bfloat16
    /// (AVX512_BF16)`.
    var summary: String {
        func named(_ kind: TileKind) -> String {
            TileKernels(kind).map { unsafe "\(kind) (\(String(cString: $0.functions.pointee.instructions)))" }
                ?? "\(kind)"
        }
        return named(self) + (fine == self ? "" : ", attention in \(named(fine))")
    }
}

/// The kernels of a number format for one instruction set; see CKTiles.h.
///
/// Invariant: points to a constant.
@safe
struct TileKernels: @unchecked Sendable {
    let kind: TileKind
    let functions: UnsafePointer<ck_tile_kernels>

    /// The kernels for the instruction set in use by the calling thread.
    init?(_ kind: TileKind) {
        guard let functions = unsafe ck_tile_kernels_of(kind.rawValue) else { return nil }
        self.kind = kind
        unsafe self.functions = unsafe functions
    }

    /// The number of outputs that are packed together.
    var panel: Int { unsafe functions.pointee.panel }

    /// The number of panels for a number of outputs.
    func panels(_ outputs: Int) -> Int { unsafe ck_tile_panels(functions, outputs) }

    /// The number of words of an output that are stored together, 1 or 2.
    var run: Int { unsafe functions.pointee.run }

    /// The number of 32-bit words for `count` elements.
    func steps(_ count: Int) -> Int { unsafe ck_tile_steps(functions, count) }
}
