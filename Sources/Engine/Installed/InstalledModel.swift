package import EngineBasics
import EngineParakeet
import EngineWeights

/// A model that can be used by its name.
public struct InstalledModel: Sendable, Hashable {
    package let name: String
    /// A file, or a folder of files that belong together.
    package let path: FilePath
    package let place: ModelPlace
    /// Its repository on the Hugging Face hub, if it was found in that cache: `Systran/faster-whisper-small`.
    package let repository: String?

    package init(name: String, path: FilePath, place: ModelPlace, repository: String? = nil) {
        self.name = name
        self.path = path
        self.place = place
        self.repository = repository
    }

    /// Where it is, as in "found in …".
    package var origin: String {
        place.description + (repository.map { " (\(ShellQuoting.quoted($0)))" } ?? "")
    }

    /// The size of its files in bytes.
    package var bytes: Int { ModelState.bytes(of: path) }
}

/// A model and whether it can be used.
package struct FoundModel {
    package let model: InstalledModel
    package let state: ModelState
}

/// Whether a file or a folder can be opened as a model. Only opening it shows whether it really is one.
package enum ModelState: Hashable {
    case usable
    case notPermitted
    /// A folder whose weights, or some of them, are missing or are links to missing files: an interrupted download.
    case incomplete
    /// A folder whose only weights are for ONNX. Opening it says so.
    case onnx

    /// `nil` if there is nothing, or if it is a folder without the files of a model.
    package init?(of path: FilePath) {
        guard case .success(let status) = FileSystem.status(path) else { return nil }
        guard status.kind == .folder else {
            self = FileSystem.isReadable(path) ? .usable : .notPermitted
            return
        }
        switch FileSystem.names(in: path) {
        case .failure(.notPermitted): self = .notPermitted
        case .failure: return nil
        case .success(let files):
            let names = Set(files.map { String(decoding: $0.bytes, as: UTF8.self) })
            let state = Self.state(ofFolder: path, names)
            if state == nil || state == .incomplete, !ParakeetFileInFolder.names(in: path).isEmpty {
                self = .usable
            } else if state == nil || state == .incomplete, ONNXFolder.recognizes(path) {
                self = .onnx
            } else if let state {
                self = state
            } else {
                return nil
            }
        }
    }

    /// The state of a model in several files.
    private static func state(ofFolder path: FilePath, _ names: Set<String>) -> ModelState? {
        if names.isDisjoint(with: descriptions) { return nil }
        guard let weights = weights.first(where: names.contains) else { return .incomplete }
        let shards = weights.hasSuffix(ShardIndex.suffix) ? (try? ShardIndex(path.appending(weights)))?.files : nil
        let needed = ([weights] + descriptions.filter(names.contains)).map { FilePath($0) } + (shards ?? [])
        return needed.map { state(ofFile: path.appending($0)) }.first { $0 != .usable } ?? .usable
    }

    private static func state(ofFile path: FilePath) -> ModelState {
        switch FileSystem.status(path) {
        case .success: FileSystem.isReadable(path) ? .usable : .notPermitted
        case .failure(.notPermitted): .notPermitted
        case .failure: .incomplete
        }
    }

    /// The files that describe a network; a model's folder contains at least one of them.
    private static let descriptions = ["config.json", "vocabulary.json", "vocabulary.txt"]
    /// The files with weights: of CTranslate2, and of transformers in one file or several, by safetensors and by PyTorch.
    package static let weights =
        ["model.bin"]
        + ["model.safetensors", "pytorch_model.bin"].flatMap {
            [$0, $0 + ShardIndex.suffix]
        }

    /// The names of files in a model's folder that belong to the model: its weights, its shards, its descriptions or what
    /// transformers and CTranslate2 store beside them.
    package static func parts(of folder: FilePath, among names: [FilePath]) -> Set<FilePath> {
        Set(names.filter(isPart) + ParakeetFileInFolder.names(in: folder))
    }

    private static func isPart(_ name: FilePath) -> Bool {
        let text = String(decoding: name.bytes, as: UTF8.self)
        let isShard =
            ["model-", "pytorch_model-"].contains { text.hasPrefix($0) }
            && text.contains("-of-") && [".safetensors", ".bin"].contains { text.hasSuffix($0) }
        return isShard || weights.contains(text) || descriptions.contains(text) || companions.contains(text)
    }

    private static let companions = [
        "added_tokens.json", "generation_config.json", "merges.txt", "normalizer.json", "preprocessor_config.json",
        "processor_config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json", "vocab.json",
    ]

    /// The size of a model's files in bytes.
    package static func bytes(of path: FilePath) -> Int { files(of: path).reduce(0) { $0 + $1.size } }

    /// The regular files of a model with their sizes: the file itself, or those in the folder.
    package static func files(of path: FilePath) -> [(path: FilePath, size: Int)] {
        guard case .success(let status) = FileSystem.status(path) else { return [] }
        guard status.kind == .folder else { return [(path, status.size)] }
        guard case .success(let names) = FileSystem.names(in: path) else { return [] }
        return names.compactMap { name in
            let file = path.appending(name)
            guard case .success(let status) = FileSystem.status(file), status.kind == .file else { return nil }
            return (file, status.size)
        }
    }
}
