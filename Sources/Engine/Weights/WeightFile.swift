/// A model file of any format: dimensions, vocabulary and tensors under openai-whisper's names.
package protocol WeightFile: Sendable {
    var path: FilePath { get }
    var dimensions: ModelDimensions { get }
    var vocabulary: Vocabulary { get }
    /// `nil` if the format does not contain them.
    var alignmentHeads: [AlignmentHead]? { get }
    /// Problems found while opening it that do not prevent using the model.
    var warnings: [ModelWarning] { get }
    /// - Throws: `ModelError.missingTensors`.
    func tensor(_ name: String) throws -> WeightTensor
    /// Throws if the file has changed since it was opened, because the weights read may then be a mixture of two files.
    func checkUnchanged() throws(ModelError)
}

extension WeightFile {
    package var warnings: [ModelWarning] { [] }
}

/// A cross-attention head whose weights follow the audio, used for word timestamps.
package struct AlignmentHead: Hashable, Codable, Sendable {
    /// The decoder layer, from 0.
    package let layer: Int
    /// The head within the layer, from 0.
    package let head: Int

    package init(layer: Int, head: Int) {
        self.layer = layer
        self.head = head
    }
}
