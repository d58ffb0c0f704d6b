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
    package var tensors: [String: WeightTensor] { stored.tensors }
    package var format: String { "Hugging Face" }
    private let stored: HuggingFaceWeights

    private static let tokenizerName = "tokenizer.json"

    /// Whether a folder, or the folder of a file of weights, has the settings of such a model, or of one for live
    /// audio, which `init` names in its error.
    package static func recognizes(_ path: FilePath) -> Bool {
        let type = ParakeetSettings.modelType(of: isWeights(path) ? path.folder : path)
        return ["parakeet_", "nemotron"].contains { type?.hasPrefix($0) ?? false }
    }

    /// Whether a model is named by a file of its weights.
    private static func isWeights(_ path: FilePath) -> Bool { path.lowercasedExtension == "safetensors" }

    /// Opens a model and validates everything except the values of the weights.
    ///
    /// - Parameter path: the folder, or a file of weights in it; see `HuggingFaceWeights`.
    package init(_ path: FilePath) throws(ModelError) {
        let isWeights = Self.isWeights(path), folder = isWeights ? path.folder : path
        self.path = folder
        dimensions = try ParakeetSettings.dimensions(folder.appending(ParakeetSettings.name))
        try ParakeetSettings.checkAudio(in: folder, bands: dimensions.bands)
        stored = try HuggingFaceWeights(folder, file: isWeights ? path.name : nil)
        let tokenizer = folder.appending(Self.tokenizerName)
        do throws(ModelError) {
            vocabulary = try ParakeetVocabulary(tokenizer, size: dimensions.vocabulary)
        } catch .noFile(tokenizer) {
            throw .missingFiles(path: folder, names: [Self.tokenizerName], purpose: "the vocabulary")
        }
        try checkTensors()
    }

    package func verify() throws(ModelError) { try stored.verify() }

    /// Checks that there are all tensors in their shapes, and no others.
    private func checkTensors() throws(ModelError) {
        var rest = tensors, missing: [String] = []
        for (name, shape) in ParakeetShapes.all(dimensions, recurrence) {
            guard let tensor = rest.removeValue(forKey: name) else {
                missing.append(name)
                continue
            }
            if tensor.shape != shape {
                throw .wrongShape(path: path, tensor: name, expected: shape, found: tensor.shape)
            }
        }
        if !missing.isEmpty { throw .missingTensors(path: path, names: missing) }
        if let unknown = rest.values.min(by: { $0.name < $1.name }) {
            throw .unknownTensor(path: path, name: unknown.name, offset: unknown.bytes.lowerBound)
        }
    }
}
