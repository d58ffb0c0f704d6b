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

extension ComputeType {
    /// Whether products of many rows are faster so than in float32, on this processor.
    package var isAvailable: Bool { self == .auto || self == .float32 || TileKind(self) != nil }

    /// The type that is meant, never `auto`: the reference's numbers come before speed.
    package var resolved: ComputeType { self == .auto ? .float32 : self }
}
