package import EngineBasics

/// A model file of any format: dimensions, vocabulary and tensors under openai-whisper's names.
package protocol WeightFile: Sendable {
    var path: FilePath { get }
    var dimensions: ModelDimensions { get }
    var vocabulary: Vocabulary { get }
    /// `nil` if the format does not contain them.
    var alignmentHeads: [AlignmentHead]? { get }
    /// Problems found while opening it that do not prevent using the model.
    var warnings: [ModelWarning] { get }
    /// By name.
    var tensors: [String: WeightTensor] { get }
    /// Throws if the file has changed since it was opened, because the weights read may then be a mixture of two files.
    func checkUnchanged() throws(ModelError)
    /// Checks the weights against the checksums stored with them, if any, which reads all of them. Loading does not.
    ///
    /// - Throws: `ModelError.badArchive` for the first part that has changed.
    func verify() throws(ModelError)
}

extension WeightFile {
    package var warnings: [ModelWarning] { [] }
    package func verify() throws(ModelError) {}

    /// - Throws: `ModelError.missingTensors`.
    package func tensor(_ name: String) throws(ModelError) -> WeightTensor {
        guard let tensor = tensors[name] else { throw .missingTensors(path: path, names: [name]) }
        return tensor
    }
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
