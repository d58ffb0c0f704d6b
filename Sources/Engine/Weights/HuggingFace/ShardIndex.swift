package import EngineBasics

/// `model.safetensors.index.json` or `pytorch_model.bin.index.json`: which tensor is in which file.
package struct ShardIndex {
    package static let suffix = ".index.json"
    /// All shards are open while the model is loaded, and many systems allow a process only 1024 open files. The
    /// largest Whisper models have two shards.
    private static let maxFiles = 256

    let path: FilePath
    /// The file of each tensor.
    private let shards: [(tensor: String, file: FilePath)]

    /// The names of the files, which are in the folder of the index.
    package var files: Set<FilePath> { Set(shards.map(\.file)) }

    /// - Parameter weights: the file name that the weights would have without sharding.
    /// - Returns: `nil` if the folder has no such index.
    init?(_ folder: FilePath, of weights: String) throws(ModelError) {
        try self.init(folder.appending(weights + Self.suffix))
    }

    /// The index that names a file.
    init?(naming file: FilePath, in folder: FilePath) throws(ModelError) {
        for weights in [HuggingFaceFolder.weightsName, HuggingFaceFolder.pytorchName] {
            guard let index = try ShardIndex(folder, of: weights), index.files.contains(file) else { continue }
            self = index
            return
        }
        return nil
    }

    /// - Returns: `nil` if there is no such file.
    package init?(_ path: FilePath) throws(ModelError) {
        self.path = path
        guard let value = try JSONFile.readIfPresent(path, .index) else { return nil }
        guard case .object(let members)? = value["weight_map"], !members.isEmpty else {
            throw .badContents(path: path, problem: "has no weight_map")
        }
        var shards: [(tensor: String, file: FilePath)] = []
        for member in members {
            guard let file = member.value.string, Self.isPlain(file) else {
                throw .badContents(
                    path: path,
                    problem: "names \(member.value.shown) as the file of a tensor, expected a name in the same folder")
            }
            shards.append((member.name, FilePath(file)))
        }
        self.shards = shards
        guard files.count <= Self.maxFiles else {
            throw .badContents(
                path: path, problem: "names \(files.count) files, at most \(Self.maxFiles) are supported")
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 32 }
    }

    /// Opens all files; each tensor must be in the file that the index names.
    func open() throws(ModelError) -> StoredWeights {
        var names: [FilePath: [String]] = [:], missing: [String] = [], absent: ModelError?
        for (name, file) in shards { names[file, default: []].append(name) }
        var weights = StoredWeights()
        for (file, names) in names.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
            let shard: StoredWeights
            do throws(ModelError) {
                shard = try StoredWeights(path.folder.appending(file))
            } catch .noFile {
                missing.append(ShellQuoting.shown(file.description))
                continue
            } catch { throw error }
            // Only the tensors that the index names are kept when the next file is opened.
            for name in names {
                if let tensor = shard.tensors[name] {
                    try weights.add(tensor, name)
                } else {
                    absent =
                        absent
                        ?? .missingTensors(path: path.folder.appending(file), names: [ShellQuoting.shown(name)])
                }
            }
            weights.archives += shard.archives
        }
        if !missing.isEmpty { throw .missingFiles(path: path.folder, names: missing, purpose: "named by the index") }
        if let absent { throw absent }
        return weights
    }
}

/// The tensors in one or several files, by their names there.
struct StoredWeights {
    fileprivate(set) var tensors: [String: WeightTensor] = [:]
    /// The files with checksums.
    fileprivate(set) var archives: [FilePath] = []

    fileprivate init() {}

    /// Opens a safetensors file or a PyTorch state dictionary. Anything else is reported with the advice for models.
    init(_ path: FilePath) throws(ModelError) {
        let kind: ModelFileKind
        do throws(FileError) {
            kind = try ModelFileKind(of: ReadOnlyFile(path))
        } catch { throw ModelError(error, path: path) }
        switch kind {
        case .other(let looksLike, let instead):
            throw .anotherFormat(path: path, looksLike: looksLike, instead: instead)
        case .zip:
            archives = [path]
            tensors = try PyTorchStateDictionary(path).tensors
        case .ggml, .ctranslate2, .safetensors, .unknown:
            for tensor in try SafetensorsFile(path).tensors { try add(tensor, tensor.name) }
        }
    }

    /// Files distinguish names that Swift regards as equal because they differ only in their Unicode form.
    fileprivate mutating func add(_ tensor: WeightTensor, _ name: String) throws(ModelError) {
        if tensors.updateValue(tensor, forKey: name) != nil {
            throw .duplicateTensor(path: tensor.file.path, name: ShellQuoting.shown(name))
        }
    }
}
