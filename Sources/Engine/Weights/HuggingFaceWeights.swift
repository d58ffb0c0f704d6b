package import EngineBasics

/// The tensors of a Hugging Face folder by the names in its files, which are safetensors or PyTorch files, one or several.
package struct HuggingFaceWeights: TensorFile {
    package static let safetensors = "model.safetensors"
    package static let pyTorch = "pytorch_model.bin"

    /// The folder.
    package let path: FilePath
    package private(set) var tensors: [String: WeightTensor] = [:]
    /// The files with checksums.
    private var archives: [FilePath] = []

    /// - Parameter file: the name of the file to use, or one of those that an index names; by default, as in transformers,
    ///   `model.safetensors` or its shards, else `pytorch_model.bin` or its shards.
    package init(_ folder: FilePath, file: FilePath? = nil) throws(ModelError) {
        path = folder
        if let file {
            if let index = try ShardIndex(naming: file, in: folder) {
                try add(index)
            } else {
                try add(folder.appending(file))
            }
            return
        }
        for name in [Self.safetensors, Self.pyTorch] {
            let file = folder.appending(name)
            if (try? DiskAccess.status(of: file, followingLinks: true)) != nil {
                try add(file)
                return
            }
            if let index = try ShardIndex(folder, of: name) {
                try add(index)
                return
            }
        }
        throw .missingFiles(path: folder, names: [Self.safetensors], purpose: "the weights")
    }

    /// Whether a PyTorch file belongs to the folder that it is in, rather than being a standalone checkpoint.
    package static func contains(pytorchFile path: FilePath) -> Bool {
        path.name == FilePath(pyTorch) || (try? ShardIndex(naming: path.name, in: path.folder)) ?? nil != nil
    }

    package func verify() throws(ModelError) {
        for path in archives { try PyTorchStateDictionary(path).verify() }
    }

    private mutating func add(_ path: FilePath) throws(ModelError) {
        for tensor in try open(path).tensors.values { try tensors.add(tensor) }
    }

    /// Adds the tensors of all files of an index; each must be in the file that the index names.
    private mutating func add(_ index: ShardIndex) throws(ModelError) {
        var names: [FilePath: [String]] = [:], missing: [String] = [], absent: ModelError?
        for (name, file) in index.shards { names[file, default: []].append(name) }
        for (file, names) in names.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
            let shard: any TensorFile
            do throws(ModelError) {
                shard = try open(path.appending(file))
            } catch .noFile {
                missing.append(ShellQuoting.shown(file.description))
                continue
            } catch { throw error }
            // Only the tensors that the index names are kept when the next file is opened.
            for name in names {
                if let tensor = shard.tensors[name] {
                    try tensors.add(tensor)
                } else {
                    absent = absent ?? .missingTensors(path: shard.path, names: [ShellQuoting.shown(name)])
                }
            }
        }
        if !missing.isEmpty { throw .missingFiles(path: path, names: missing, purpose: "named by the index") }
        if let absent { throw absent }
    }

    /// Opens a safetensors file or a PyTorch state dictionary. Anything else is reported with the advice for models.
    private mutating func open(_ path: FilePath) throws(ModelError) -> any TensorFile {
        let kind: ModelFileKind
        do throws(FileError) {
            kind = try ModelFileKind(of: ReadOnlyFile(path))
        } catch { throw ModelError(error, path: path) }
        switch kind {
        case .other(let looksLike, let instead):
            throw .anotherFormat(path: path, looksLike: looksLike, instead: instead)
        case .zip:
            archives.append(path)
            return try PyTorchStateDictionary(path)
        case .ggml, .ctranslate2, .safetensors, .unknown: return try SafetensorsFile(path)
        }
    }
}
