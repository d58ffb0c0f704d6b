package import EngineBasics
package import EngineWeights

/// A Hugging Face Whisper model: `config.json`, weights in one or several safetensors or PyTorch files, and usually a
/// tokenizer.
package struct HuggingFaceFolder: WhisperFile {
    static let settingsName = "config.json"

    /// The folder.
    package let path: FilePath
    package let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    package let alignmentHeads: [AlignmentHead]?
    package let warnings: [ModelWarning]
    package let tensors: [String: WeightTensor]
    package var format: String { "Hugging Face" }
    private let stored: HuggingFaceWeights

    /// Opens the model and validates everything except the values of the weights.
    ///
    /// - Parameter weights: the name of a file of weights; see `HuggingFaceWeights`.
    package init(_ path: FilePath, weights: FilePath? = nil) throws(ModelError) {
        self.path = path
        let settingsPath = path.appending(Self.settingsName)
        let settings: HuggingFaceSettings
        do throws(ModelError) {
            settings = try HuggingFaceSettings(settingsPath)
        } catch .noFile(settingsPath) {
            throw .missingFiles(
                path: path, names: [Self.settingsName], purpose: "the dimensions of a Hugging Face model")
        } catch { throw error }
        dimensions = settings.dimensions
        let folder = ModelFolder(path)
        try folder.checkAudioSettings(dimensions)
        stored = try HuggingFaceWeights(path, file: weights)
        tensors = try HuggingFaceNames.tensors(stored.tensors, dimensions, path: path)
        if settings.isUntied, stored.tensors[HuggingFaceNames.projection] == nil {
            throw .badSetting(path: settingsPath, key: "tie_word_embeddings", found: "false", expected: "true")
        }
        let generation = try GenerationSettings(
            path.appending("generation_config.json"), older: settings.value, olderPath: settingsPath, dimensions)
        alignmentHeads = generation.alignmentHeads
        if let own = try folder.vocabulary(size: dimensions.nVocab, from: [.tokenizer, .ranks]) {
            (vocabulary, warnings) = (own, generation.warnings)
        } else {
            vocabulary = .builtIn(size: dimensions.nVocab)
            warnings = generation.warnings + [.noVocabulary(path: path)]
        }
    }

    package func verify() throws(ModelError) { try stored.verify() }
}
