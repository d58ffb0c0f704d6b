// swift-format-ignore: AlwaysUseLowerCamelCase
/// How a tensor's numbers are stored. Block types hold 32 consecutive elements of a row.
package enum ElementType: String, Sendable, Hashable {
    case f32 = "F32"
    case f16 = "F16"
    case bf16 = "BF16"
    case q4_0 = "Q4_0"
    case q4_1 = "Q4_1"
    case q5_0 = "Q5_0"
    case q5_1 = "Q5_1"
    case q8_0 = "Q8_0"

    /// Elements in a block.
    package var blockLength: Int {
        switch self {
        case .f32, .f16, .bf16: 1
        default: 32
        }
    }

    /// Bytes of a block.
    package var blockBytes: Int {
        switch self {
        case .f32: 4
        case .f16, .bf16: 2
        case .q4_0: 18
        case .q4_1: 20
        case .q5_0: 22
        case .q5_1: 24
        case .q8_0: 34
        }
    }
}
