package import EngineModels
package import EngineWeights

/// A Whisper model in files of any format, with tensors under openai-whisper's names.
package protocol WhisperFile: StoredModel {
    var dimensions: ModelDimensions { get }
    var vocabulary: Vocabulary { get }
    /// `nil` if the format does not contain them.
    var alignmentHeads: [AlignmentHead]? { get }
    /// Problems found while opening it that do not prevent using the model.
    var warnings: [ModelWarning] { get }
}

extension WhisperFile {
    package var alignmentHeads: [AlignmentHead]? { nil }
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
