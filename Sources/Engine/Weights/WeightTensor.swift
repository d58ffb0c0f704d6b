/// A tensor as it lies in its file.
package struct WeightTensor: Sendable {
    package let name: String
    /// PyTorch's order: the last dimension is contiguous.
    package let shape: [Int]
    package let type: ElementType
    package let file: ReadOnlyFile
    /// Where its bytes are.
    package let bytes: Range<Int>

    package init(name: String, shape: [Int], type: ElementType, file: ReadOnlyFile, bytes: Range<Int>) {
        self.name = name
        self.shape = shape
        self.type = type
        self.file = file
        self.bytes = bytes
    }

    package var count: Int { shape.reduce(1, *) }
}

/// A model file of any format: its dimensions, its vocabulary and its tensors under openai-whisper's names.
package protocol WeightFile: Sendable {
    var path: FilePath { get }
    var dimensions: ModelDimensions { get }
    var vocabulary: Vocabulary { get }
    /// `nil` where the format does not hold them.
    var alignmentHeads: [AlignmentHead]? { get }
    func tensor(_ name: String) throws -> WeightTensor
    /// Throws where the file was changed since it was opened, so that weights of two files may have been mixed.
    func checkUnchanged() throws(ModelError)
}
