/// How long ggml files are, from what their header says.
package enum GGMLSize {
    /// Bytes of a whole file as whisper.cpp's converter and quantiser write it.
    ///
    /// - Parameters:
    ///   - matrices: how matrices are stored. Vectors, positions and biases are float32 in all files, kernels of
    ///     convolutions float16 in all but float32 files.
    ///   - vocabulary: pieces in the file.
    package static func file(_ dimensions: ModelDimensions, matrices: ElementType, vocabulary: [[UInt8]]) -> Int {
        // Magic, eleven numbers, the filters' two, the filters, the number of pieces; a length before each piece.
        let start = 4 * (1 + 11 + 2 + 201 * dimensions.nMels + 1)
        return vocabulary.reduce(start) { $0 + 4 + $1.count }
            + records(of: TensorShapes.all(dimensions), matrices: matrices)
    }

    /// Bytes of the records of some tensors.
    static func records(of tensors: [(name: String, shape: [Int])], matrices: ElementType) -> Int {
        tensors.reduce(0) { size, tensor in
            let isVector = tensor.shape.count == 1 || tensor.name.hasSuffix("positional_embedding")
            let type: ElementType = isVector ? .f32 : tensor.shape.count == 3 && matrices != .f32 ? .f16 : matrices
            // The convolutions' biases have a dimension of 1 besides.
            let rank = tensor.name.hasPrefix("encoder.conv") ? max(2, tensor.shape.count) : tensor.shape.count
            let data = tensor.shape.reduce(1, *) / type.blockLength * type.blockBytes
            return size + 12 + 4 * rank + tensor.name.utf8.count + data
        }
    }
}
