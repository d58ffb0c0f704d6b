package import EngineBasics

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The storage format of a tensor's elements. Quantized formats store blocks of 32 consecutive elements of a row.
///
/// Another quantized type also needs `unpack` (`WeightTensor+Tensor`) and `encode` (`Quantization`), which assume blocks of
/// 32, `GGMLTypes`, the formats of `models convert`, the suffixes in `ModelCatalogue`, the unsupported types there
/// and in the tests of damaged models, and a place in the lists of the tests (`grep -rn q5_1 Tests`), of
/// `Tests/Oracles/quantization.py`, of `docs/models.md` and of the README. Rows must be multiples of the block.
package enum ElementType: String, Sendable, Hashable {
    case f32 = "F32"
    case f16 = "F16"
    case bf16 = "BF16"
    case f64 = "F64"
    /// 8-bit integers that are divided by a scale (`TensorScales`), as in CTranslate2.
    case int8
    /// 16-bit integers that are divided by a scale.
    case int16
    case q4_0 = "Q4_0"
    case q4_1 = "Q4_1"
    case q5_0 = "Q5_0"
    case q5_1 = "Q5_1"
    case q8_0 = "Q8_0"

    /// The number of elements per block.
    package var blockLength: Int {
        switch self {
        case .f32, .f16, .bf16, .f64, .int8, .int16: 1
        case .q4_0, .q4_1, .q5_0, .q5_1, .q8_0: 32
        }
    }

    /// Whether elements are stored with fewer bits than a floating-point number.
    package var isQuantized: Bool { ![.f32, .f16, .bf16, .f64].contains(self) }

    /// The size of a block in bytes.
    package var blockBytes: Int {
        switch self {
        case .f32: 4
        case .f16, .bf16, .int16: 2
        case .f64: 8
        case .int8: 1
        case .q4_0: 18
        case .q4_1: 20
        case .q5_0: 22
        case .q5_1: 24
        case .q8_0: 34
        }
    }
}

/// The scales of a tensor of integers: float32 numbers in the same file, one for all elements or one per row.
package struct TensorScales: Sendable {
    /// The range of their bytes in the file.
    package let bytes: Range<Int>
    /// The number of consecutive elements that share a scale.
    package let length: Int

    /// The scales of the elements in `range`, which starts and ends with a row.
    fileprivate func slice(_ range: Range<Int>) -> TensorScales {
        if bytes.count == Self.size { return self }
        let start = bytes.lowerBound + Self.size * (range.lowerBound / length)
        return TensorScales(bytes: start..<(start + Self.size * (range.count / length)), length: length)
    }

    /// The size of a scale in bytes.
    package static let size = 4
}

/// A tensor in its file, not yet read.
package struct WeightTensor: Sendable {
    package let name: String
    /// In PyTorch's order: the last dimension is contiguous.
    package let shape: [Int]
    package let type: ElementType
    package let file: ReadOnlyFile
    /// The range of its bytes in the file, from its first element to its last.
    package let bytes: Range<Int>
    /// The distances, in elements, between neighbors in each dimension; `nil` if the elements are contiguous.
    package let strides: [Int]?
    /// Only integers have scales.
    package let scales: TensorScales?

    package init(
        name: String, shape: [Int], type: ElementType, file: ReadOnlyFile, bytes: Range<Int>,
        strides: [Int]? = nil, scales: TensorScales? = nil
    ) {
        self.name = name
        self.shape = shape
        self.type = type
        self.file = file
        self.bytes = bytes
        self.strides = strides
        self.scales = scales
    }

    /// The number of elements.
    package var count: Int { shape.reduce(1, *) }

    /// Whether two shapes differ only in dimensions of 1, which formats add or omit.
    package static func isSame(_ one: [Int], _ other: [Int]) -> Bool {
        one.filter { $0 != 1 } == other.filter { $0 != 1 }
    }

    /// The same tensor under another name, with dimensions of 1 added or removed.
    package func named(_ name: String, shape: [Int]) -> WeightTensor {
        precondition(shape.reduce(1, *) == count, "\(shape) for \(self.shape)")
        return WeightTensor(
            name: name, shape: shape, type: type, file: file, bytes: bytes, strides: strides(for: shape), scales: scales
        )
    }

    /// The rows in `range` (indices of the first dimension) under a separate name.
    package func rows(_ range: Range<Int>, named name: String) -> WeightTensor {
        precondition(range.lowerBound >= 0 && range.upperBound <= shape.first ?? 0, "rows \(range) of \(shape)")
        let length = shape.dropFirst().reduce(1, *), rowBytes = length / type.blockLength * type.blockBytes
        precondition(length % type.blockLength == 0, "a row of \(length)")
        if let strides, let first = strides.first, let layout = layout(of: range) {
            let start = bytes.lowerBound + range.lowerBound * first * type.blockBytes
            return WeightTensor(
                name: name, shape: layout.sizes, type: type, file: file,
                bytes: start..<(start + layout.span * type.blockBytes), strides: strides)
        }
        let start = bytes.lowerBound + range.lowerBound * rowBytes
        return WeightTensor(
            name: name, shape: [range.count] + shape.dropFirst(), type: type, file: file,
            bytes: start..<(start + range.count * rowBytes),
            scales: scales?.slice((range.lowerBound * length)..<(range.upperBound * length)))
    }

    /// Where the elements of some rows of a strided tensor are, relative to the first.
    private func layout(of rows: Range<Int>) -> StridedLayout? {
        strides.flatMap { StridedLayout(sizes: [rows.count] + shape.dropFirst(), strides: $0) }
    }

    /// The strides of a shape that differs only by dimensions of 1.
    private func strides(for other: [Int]) -> [Int]? {
        guard let strides else { return nil }
        var rest = zip(shape, strides).filter { $0.0 != 1 }.map(\.1)[...]
        return other.map { $0 == 1 ? 0 : rest.popFirst() ?? 0 }
    }
}
