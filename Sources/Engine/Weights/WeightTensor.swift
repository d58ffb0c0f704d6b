// swift-format-ignore: AlwaysUseLowerCamelCase
/// The storage format of a tensor's elements. Quantized formats store blocks of 32 consecutive elements of a row.
package enum ElementType: String, Sendable, Hashable {
    case f32 = "F32"
    case f16 = "F16"
    case bf16 = "BF16"
    case q4_0 = "Q4_0"
    case q4_1 = "Q4_1"
    case q5_0 = "Q5_0"
    case q5_1 = "Q5_1"
    case q8_0 = "Q8_0"

    /// The number of elements per block.
    package var blockLength: Int {
        switch self {
        case .f32, .f16, .bf16: 1
        default: 32
        }
    }

    /// Whether elements are stored with fewer bits than a floating-point number.
    package var isQuantized: Bool { ![.f32, .f16, .bf16].contains(self) }

    /// The size of a block in bytes.
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

/// A tensor in its file, not yet read.
package struct WeightTensor: Sendable {
    package let name: String
    /// In PyTorch's order: the last dimension is contiguous.
    package let shape: [Int]
    package let type: ElementType
    package let file: ReadOnlyFile
    /// The range of its bytes in the file.
    package let bytes: Range<Int>

    package init(name: String, shape: [Int], type: ElementType, file: ReadOnlyFile, bytes: Range<Int>) {
        self.name = name
        self.shape = shape
        self.type = type
        self.file = file
        self.bytes = bytes
    }

    /// The number of elements.
    package var count: Int { shape.reduce(1, *) }
}
