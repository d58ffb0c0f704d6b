package import EngineBasics
import EngineModels
package import EngineWeights

/// A FastConformer recognizer as a Hugging Face folder: `config.json`, `tokenizer.json`, and weights in one or several
/// files.
package struct ParakeetFolder: ParakeetFile {
    /// The folder.
    package let path: FilePath
    package let dimensions: ParakeetDimensions
    package let vocabulary: ParakeetVocabulary
    package let tensors: [String: WeightTensor]
    package var format: String { "Hugging Face" }
    private let stored: HuggingFaceWeights

    private static let tokenizerName = "tokenizer.json"

    /// Whether a folder, or the folder of a file of weights, has the settings of such a model, or of one for live
    /// audio or another program, which `init` names in its error.
    package static func recognizes(_ path: FilePath) -> Bool {
        let folder = isWeights(path) ? path.folder : path
        let type = ParakeetSettings.modelType(of: folder) ?? ""
        return otherFormat(of: folder) != nil || ["parakeet_", "nemotron"].contains(where: type.hasPrefix)
    }

    /// What a folder without the settings of transformers is, if it has a model of this family.
    private static func otherFormat(of folder: FilePath) -> String? {
        let onnx = ONNXFolder.looksLike
        if let type = ParakeetSettings.modelType(of: folder) { return type.hasPrefix("nemo-") ? onnx : nil }
        if ParakeetSettings.isNeMo(folder) { return "a folder with an MLX model" }
        guard case .success(let files) = FileSystem.names(in: folder) else { return nil }
        let names = files.map { String(decoding: $0.bytes, as: UTF8.self) }
        let hasEncoder = names.contains { $0.hasPrefix("encoder") && $0.hasSuffix(".onnx") }
        return hasEncoder && !names.contains(HuggingFaceWeights.safetensors) ? onnx : nil
    }

    /// Whether a model is named by a file of its weights.
    private static func isWeights(_ path: FilePath) -> Bool { path.lowercasedExtension == "safetensors" }

    /// Opens a model and validates everything except the values of the weights.
    ///
    /// - Parameter path: the folder, or a file of weights in it; see `HuggingFaceWeights`.
    package init(_ path: FilePath) throws(ModelError) {
        let isWeights = Self.isWeights(path), folder = isWeights ? path.folder : path
        self.path = folder
        if let format = Self.otherFormat(of: folder) ?? (ONNXFolder.recognizes(folder) ? ONNXFolder.looksLike : nil) {
            throw .anotherFormat(path: folder, looksLike: format, instead: ParakeetFormats.another)
        }
        dimensions = try ParakeetSettings.dimensions(folder.appending(ParakeetSettings.name))
        try ParakeetSettings.checkAudio(in: folder, bands: dimensions.bands)
        stored = try HuggingFaceWeights(folder, file: isWeights ? path.name : nil)
        let tokenizer = folder.appending(Self.tokenizerName)
        do throws(ModelError) {
            vocabulary = try ParakeetVocabulary(tokenizer, size: dimensions.vocabulary)
        } catch .noFile(tokenizer) {
            throw .missingFiles(path: folder, names: [Self.tokenizerName], purpose: "the vocabulary")
        }
        let isStreaming = dimensions.streaming != nil
        tensors = try ParakeetShapes.tensors(
            dimensions, .pyTorch, from: stored, name: { isStreaming ? StreamingNames.stored($0) : $0 })
    }

    package func verify() throws(ModelError) { try stored.verify() }
}
