/// A Hugging Face Whisper model: `config.json`, weights in one or several safetensors files or one PyTorch file, and usually
/// a tokenizer.
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
    private let tensors: [String: WeightTensor]

    /// Opens the model and validates everything except the values of the weights.
    ///
    /// - Parameter weights: the name of the safetensors file to use; by default `model.safetensors`, or the files that the
    ///   index names.
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
        try folder.checkBands(dimensions)
        let stored = try Self.stored(path, weights: weights)
        tensors = try HuggingFaceNames.tensors(stored, dimensions, path: path)
        if settings.isUntied, stored[HuggingFaceNames.projection] == nil {
            throw .badSetting(path: settingsPath, key: "tie_word_embeddings", found: "false", expected: "true")
        }
        let generation = try GenerationSettings(
            path.appending("generation_config.json"), older: settings.value, olderPath: settingsPath, dimensions)
        alignmentHeads = generation.alignmentHeads
        warnings = generation.warnings
        vocabulary = try folder.vocabulary(size: dimensions.nVocab, from: [.tokenizer, .ranks, .builtIn])
    }

    /// The tensors in the folder's files, by their names there.
    private static func stored(
        _ path: FilePath, weights: FilePath?
    ) throws(ModelError) -> [String: WeightTensor] {
        let index = try ShardIndex(path)
        if let weights, index?.files.contains(weights) != true {
            return try whole(path.appending(weights))
        }
        if index == nil || exists(path.appending(weightsName)) {
            if !exists(path.appending(weightsName)), exists(path.appending(pytorchName)) {
                try refuseOtherKinds(path.appending(pytorchName))
                return try PyTorchStateDictionary(path.appending(pytorchName)).tensors
            }
            do throws(ModelError) {
                return try whole(path.appending(weightsName))
            } catch .noFile {
                throw .missingFiles(path: path, names: [weightsName], purpose: "the weights")
            } catch { throw error }
        }
        return try index?.open() ?? [:]
    }

    private static func exists(_ path: FilePath) -> Bool {
        (try? DiskAccess.status(of: path, followingLinks: true)) != nil
    }

    fileprivate static func whole(_ path: FilePath) throws(ModelError) -> [String: WeightTensor] {
        try refuseOtherKinds(path)
        return Dictionary(uniqueKeysWithValues: try SafetensorsFile(path).tensors.map { ($0.name, $0) })
    }

    /// Reports a file that is recognizably something else than weights, with the advice for models.
    private static func refuseOtherKinds(_ path: FilePath) throws(ModelError) {
        let kind: ModelFileKind
        do throws(FileError) {
            kind = try ModelFileKind(of: ReadOnlyFile(path))
        } catch { throw ModelError(error, path: path) }
        if case .other(let looksLike, let instead) = kind {
            throw .anotherFormat(path: path, looksLike: looksLike, instead: instead)
        }
    }

    package func tensor(_ name: String) throws -> WeightTensor {
        guard let tensor = tensors[name] else { throw ModelError.missingTensors(path: path, names: [name]) }
        return tensor
    }

    package func checkUnchanged() throws(ModelError) {
        if let changed = tensors.values.first(where: { !$0.file.isUnchanged }) {
            throw .changedWhileRead(path: changed.file.path)
        }
    }
}

/// `model.safetensors.index.json`: which tensor is in which file.
struct ShardIndex {
    static let fileName = "model.safetensors.index.json"
    private static let maxBytes = 16 << 20

    let path: FilePath
    /// The file of each tensor.
    private let shards: [(tensor: String, file: String)]

    var files: Set<FilePath> { Set(shards.map { FilePath($0.file) }) }

    /// - Returns: `nil` if the folder has no index.
    init?(_ folder: FilePath) throws(ModelError) {
        path = folder.appending(Self.fileName)
        guard let value = try JSONFile.readIfPresent(path, limit: Self.maxBytes) else { return nil }
        guard case .object(let members)? = value["weight_map"], !members.isEmpty else {
            throw .badContents(path: path, problem: "has no weight_map")
        }
        var shards: [(tensor: String, file: String)] = []
        for member in members {
            guard let file = member.value.string, Self.isPlain(file) else {
                throw .badContents(
                    path: path,
                    problem: "names \(member.value.shown) as the file of a tensor, expected a name in the same folder")
            }
            shards.append((member.name, file))
        }
        self.shards = shards
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 32 }
    }

    /// Opens all files; each tensor must be in the file that the index names.
    func open() throws(ModelError) -> [String: WeightTensor] {
        var files: [String: [String: WeightTensor]] = [:], missing: [String] = []
        for name in Set(shards.map(\.file)).sorted() {
            do throws(ModelError) {
                files[name] = try HuggingFaceFolder.whole(path.folder.appending(name))
            } catch .noFile { missing.append(ShellQuoting.shown(name)) } catch { throw error }
        }
        if !missing.isEmpty { throw .missingFiles(path: path.folder, names: missing, purpose: "named by the index") }
        var tensors: [String: WeightTensor] = [:]
        for (name, file) in shards {
            guard let tensor = files[file]?[name] else {
                throw .missingTensors(path: path.folder.appending(file), names: [ShellQuoting.shown(name)])
            }
            tensors[name] = tensor
        }
        return tensors
    }
}
