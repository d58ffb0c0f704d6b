package import EngineBasics

/// `model.safetensors.index.json` or `pytorch_model.bin.index.json`: which tensor is in which file.
package struct ShardIndex {
    package static let suffix = ".index.json"
    /// All shards are open while the model is loaded, and many systems allow a process only 1024 open files. The
    /// largest Whisper models have two shards.
    private static let maxFiles = 256

    /// The file of each tensor.
    let shards: [(tensor: String, file: FilePath)]

    /// The names of the files, which are in the folder of the index.
    package var files: Set<FilePath> { Set(shards.map(\.file)) }

    /// - Parameter weights: the file name that the weights would have without sharding.
    /// - Returns: `nil` if the folder has no such index.
    init?(_ folder: FilePath, of weights: String) throws(ModelError) {
        try self.init(folder.appending(weights + Self.suffix))
    }

    /// The index that names a file.
    init?(naming file: FilePath, in folder: FilePath) throws(ModelError) {
        for weights in [HuggingFaceWeights.safetensors, HuggingFaceWeights.pyTorch] {
            guard let index = try ShardIndex(folder, of: weights), index.files.contains(file) else { continue }
            self = index
            return
        }
        return nil
    }

    /// - Returns: `nil` if there is no such file.
    package init?(_ path: FilePath) throws(ModelError) {
        guard let value = try JSONFile.readIfPresent(path, .index) else { return nil }
        guard case .object(let members)? = value["weight_map"], !members.isEmpty else {
            throw .badContents(path: path, problem: "has no weight_map")
        }
        var shards: [(tensor: String, file: FilePath)] = []
        for member in members where !WeightTensor.isCounter(member.name) {
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
}
