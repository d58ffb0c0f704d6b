package import EngineBasics

/// A Hugging Face Whisper model: `config.json`, weights in one or several safetensors or PyTorch files, and usually a
/// tokenizer.
package struct HuggingFaceFolder: WeightFile {
    static let weightsName = "model.safetensors"
    static let pytorchName = "pytorch_model.bin"
    static let settingsName = "config.json"

    /// The folder.
    package let path: FilePath
    package let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    package let alignmentHeads: [AlignmentHead]?
    package let warnings: [ModelWarning]
    package let tensors: [String: WeightTensor]
    private let archives: [FilePath]

    /// Opens the model and validates everything except the values of the weights.
    ///
    /// - Parameter weights: the name of the file to use, or one of those that an index names; by default, as in
    ///   transformers, `model.safetensors` or its shards, else `pytorch_model.bin` or its shards.
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
        let stored = try Self.stored(path, weights: weights)
        archives = stored.archives
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

    private static func stored(_ path: FilePath, weights: FilePath?) throws(ModelError) -> StoredWeights {
        if let weights {
            if let index = try ShardIndex(naming: weights, in: path) { return try index.open() }
            return try StoredWeights(path.appending(weights))
        }
        for name in [weightsName, pytorchName] {
            let file = path.appending(name)
            if (try? DiskAccess.status(of: file, followingLinks: true)) != nil { return try StoredWeights(file) }
            if let index = try ShardIndex(path, of: name) { return try index.open() }
        }
        throw .missingFiles(path: path, names: [weightsName], purpose: "the weights")
    }

    /// Whether a PyTorch file belongs to the folder that it is in, rather than being a standalone checkpoint.
    static func contains(pytorchFile path: FilePath) -> Bool {
        path.name == FilePath(pytorchName) || (try? ShardIndex(naming: path.name, in: path.folder)) ?? nil != nil
    }

    package func checkUnchanged() throws(ModelError) {
        if let changed = tensors.values.first(where: { !$0.file.isUnchanged }) {
            throw .changedWhileRead(path: changed.file.path)
        }
    }

    package func verify() throws(ModelError) {
        for path in archives { try PyTorchStateDictionary(path).verify() }
    }
}
