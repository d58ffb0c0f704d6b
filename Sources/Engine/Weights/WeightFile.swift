/// A model file of any format: dimensions, vocabulary and tensors under openai-whisper's names.
package protocol WeightFile: Sendable {
    var path: FilePath { get }
    var dimensions: ModelDimensions { get }
    var vocabulary: Vocabulary { get }
    /// `nil` if the format does not contain them.
    var alignmentHeads: [AlignmentHead]? { get }
    /// Problems that do not prevent using the model.
    var warnings: [ModelWarning] { get }
    /// - Throws: `ModelError.missingTensors`.
    func tensor(_ name: String) throws -> WeightTensor
    /// Throws if the file has changed since it was opened, because the weights read may then be a mixture of two files.
    func checkUnchanged() throws(ModelError)
}

extension WeightFile {
    package var warnings: [ModelWarning] { [] }
}

/// Opens models of any format.
package enum ModelFile {
    /// Opens a file or a folder; its format is detected from its content. Everything except the values of the weights is
    /// validated.
    package static func open(_ path: FilePath) throws(ModelError) -> any WeightFile {
        try isZIP(path) ? PyTorchFile(path) : GGMLFile(path)
    }

    private static func isZIP(_ path: FilePath) -> Bool {
        // The reader of the format reports the error.
        guard let file = try? ReadOnlyFile(path) else { return false }
        let first = (try? file.bytes(0..<min(file.count, ModelFileKind.headBytes))) ?? []
        return ModelFileKind(first: first, size: file.count) == .zip
    }
}

/// The byte strings of a model's ordinary tokens, in rank order (a token's rank is its ID).
package struct Vocabulary: Hashable, Sendable {
    /// Piece i is the text of ID i as bytes, often only part of a character. Special tokens are not included.
    package let pieces: [[UInt8]]
    /// The number of token IDs including special tokens and timestamps: 51864, 51865 or 51866.
    package let size: Int

    package init(pieces: [[UInt8]], size: Int) {
        self.pieces = pieces
        self.size = size
    }

    /// Whether the pieces have lost bytes.
    ///
    /// Early converters decoded each piece as UTF-8 and replaced errors, which turned partial characters into U+FFFD.
    /// An intact vocabulary contains all 256 single bytes, a damaged one only half of them.
    package var isDamaged: Bool {
        Set(pieces.lazy.filter { $0.count == 1 }.map { $0[0] }).count < 256
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
