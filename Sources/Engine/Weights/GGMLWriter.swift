/// Makes the sections of a ggml file, whose layout `GGMLFile` describes.
package enum GGMLWriter {
    /// Everything before the first tensor record.
    ///
    /// - Parameters:
    ///   - matrices: a format that ggml files can store.
    ///   - filters: one row of 201 weights per mel band.
    package static func header(
        _ dimensions: ModelDimensions, matrices: ElementType, filters: [[Float]], vocabulary: [[UInt8]]
    ) -> [UInt8] {
        let d = dimensions
        let numbers = [
            d.nVocab, d.nAudioCtx, d.nAudioState, d.nAudioHead, d.nAudioLayer, d.nTextCtx, d.nTextState, d.nTextHead,
            d.nTextLayer, d.nMels, matrices.ggmlFile ?? 0, d.nMels, 201,
        ]
        var bytes = Array("lmgg".utf8)
        for number in numbers { append(number, to: &bytes) }
        for weight in filters.joined() { append(Int(weight.bitPattern), to: &bytes) }
        append(vocabulary.count, to: &bytes)
        for piece in vocabulary {
            append(piece.count, to: &bytes)
            bytes += piece
        }
        return bytes
    }

    /// Appends the lower 32 bits in little-endian order.
    fileprivate static func append(_ number: Int, to bytes: inout [UInt8]) {
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}

/// A tensor record of a ggml file, as whisper.cpp's converter and quantizer write it.
package struct GGMLRecord: Sendable {
    package let name: String
    /// In PyTorch's order.
    package let shape: [Int]
    package let type: ElementType

    /// - Parameter matrices: the format of matrices. Vectors, positional embeddings and biases are always float32;
    ///   convolution kernels are float16 except in float32 files.
    package init(name: String, shape: [Int], matrices: ElementType) {
        self.name = name
        self.shape = shape
        let isVector = shape.count == 1 || name.hasSuffix("positional_embedding")
        type = isVector ? .f32 : shape.count == 3 && matrices != .f32 ? .f16 : matrices
    }

    /// The fastest-varying dimension first. Biases of convolutions have an additional dimension of 1.
    private var sizes: [Int] {
        name.hasPrefix("encoder.conv") && shape.count == 1 ? [1] + shape : shape.reversed()
    }

    /// Everything before the data.
    package var header: [UInt8] {
        var bytes: [UInt8] = []
        for number in [sizes.count, name.utf8.count, type.ggmlTensor ?? 0] + sizes {
            GGMLWriter.append(number, to: &bytes)
        }
        return bytes + Array(name.utf8)
    }

    /// The size of the whole record in bytes.
    var size: Int {
        12 + 4 * sizes.count + name.utf8.count + shape.reduce(1, *) / type.blockLength * type.blockBytes
    }
}
