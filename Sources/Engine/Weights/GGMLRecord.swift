import EngineBasics

/// A tensor record of a ggml file: what precedes its data.
package struct GGMLRecord: Sendable {
    package let name: String
    /// In PyTorch's order.
    package let shape: [Int]
    package let type: ElementType
    /// The shape as it is stored, the fastest-varying dimension first.
    private let sizes: [Int]

    /// - Parameter leadingOnes: dimensions of 1 that are stored before those of the shape.
    package init(name: String, shape: [Int], type: ElementType, leadingOnes: Int = 0) {
        self.name = name
        self.shape = shape
        self.type = type
        sizes = Array(repeating: 1, count: leadingOnes) + shape.reversed()
    }

    /// Everything before the data.
    package var header: [UInt8] {
        var bytes: [UInt8] = []
        for number in [sizes.count, name.utf8.count, type.ggmlTensor ?? 0] + sizes { bytes.appendGGML(number) }
        return bytes + Array(name.utf8)
    }

    /// The size of the whole record in bytes.
    package var size: Int {
        12 + 4 * sizes.count + name.utf8.count + shape.reduce(1, *) / type.blockLength * type.blockBytes
    }
}

extension [UInt8] {
    /// Appends the lower 32 bits in little-endian order, as ggml files store all their numbers.
    package mutating func appendGGML(_ number: Int) {
        for shift in [0, 8, 16, 24] { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
