import WhisperEngine

/// What a model's files say about it.
struct ModelFacts {
    let file: any WhisperFile

    init(_ path: FilePath) throws(ModelError) { file = try WhisperFiles.open(path) }

    var format: String {
        switch file {
        case is GGMLFile: "ggml"
        case is PyTorchFile: "PyTorch"
        case is CTranslate2File: "CTranslate2"
        default: "Hugging Face"
        }
    }

    var dimensions: ModelDimensions { file.dimensions }

    /// 1 for an English-only model.
    var languages: Int {
        guard dimensions.isMultilingual else { return 1 }
        return SpecialTokens(vocabularySize: dimensions.nVocab).languageCount
    }

    /// The number of trained parameters; the encoder's positional embedding is computed, not trained.
    var parameters: Int {
        TensorShapes.all(dimensions).filter { $0.name != "encoder.positional_embedding" }
            .reduce(0) { $0 + $1.shape.reduce(1, *) }
    }

    /// The type that most of the weights are stored in, as in the names of quantized models: `f16`, `q5_0`.
    var type: String {
        var counts: [String: Int] = [:]
        for (name, _) in TensorShapes.all(dimensions) {
            guard let tensor = try? file.tensor(name) else { continue }
            counts[tensor.type.rawValue.lowercased(), default: 0] += tensor.count
        }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "unknown"
    }

    /// Where the heads for word timestamps come from.
    enum AlignmentSource: String {
        case file
        /// openai-whisper's list for the official models.
        case known
        /// All heads of the upper half of the decoder are used.
        case unknown
    }

    var alignmentSource: AlignmentSource {
        if file.alignmentHeads != nil { return .file }
        return AlignmentHeads.areKnown(for: dimensions) ? .known : .unknown
    }

    /// The estimated peak memory of `transcribe` with the default options, in bytes.
    func memory(_ type: ComputeType) -> Int { MemoryEstimate.bytes(for: file, computeType: type) }

    static func languageText(_ count: Int) -> String { count == 1 ? "English" : "\(count) languages" }
}
