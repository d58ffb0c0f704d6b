package import WhisperEngine

/// A folder in which models are found by name, and whose it is.
package struct ModelPlace: Sendable, Hashable {
    /// Whose folder it is; the values are those of `models list --json`.
    package enum Owner: String, Sendable {
        /// The folder given with `--model-dir`.
        case option
        /// A folder in `$WHISPER_LOCAL_MODELS`.
        case variable
        /// The folder of this program's downloads.
        case own
        case openAIWhisper = "openai-whisper"
        case huggingFace = "hugging-face"
        /// The models that were installed with this program.
        case program
        /// The models in the repository that this program was built in.
        case repository
    }

    package let folder: FilePath
    package let owner: Owner

    package init(_ folder: FilePath, _ owner: Owner) {
        self.folder = folder
        self.owner = owner
    }

    /// The place, as in "found in …".
    package var description: String {
        switch owner {
        case .option: "--model-dir"
        case .variable: "$\(ModelSearch.variable)"
        case .own: "your own folder"
        case .openAIWhisper: "openai-whisper's cache"
        case .huggingFace: "the Hugging Face cache"
        case .program: "the folder of this program"
        case .repository: "this program's repository"
        }
    }

    /// Whether it may have the layout of the Hugging Face cache: the folders that the user names may be copies of one.
    private var mayBeHub: Bool { [.option, .variable, .huggingFace].contains(owner) }

    /// The models with exactly this name, or in the repository with this ID, the preferred one first.
    func models(named name: [UInt8]) -> [FoundModel] {
        var hub = mayBeHub ? HuggingFaceCache(folder).models(named: name).map { found($0) } : []
        // Unless it is the cache, a folder that cannot be entered is no evidence of a model.
        if owner != .huggingFace { hub.removeAll { FileSystem.status($0.model.path) == .failure(.notPermitted) } }
        if owner == .huggingFace || name.contains(UInt8(ascii: "/")) { return hub }
        return files(named: name) + hub
    }

    private func files(named name: [UInt8]) -> [FoundModel] {
        // `.` and `..` are the folder itself and the one above it; hidden files and partial downloads are not models.
        guard let first = name.first, first != UInt8(ascii: "."),
            !name.suffix(PartialFile.suffix.utf8.count).elementsEqual(PartialFile.suffix.utf8)
        else { return [] }
        return Self.fileNames(name).compactMap { file in
            let path = folder.appending(file)
            guard let state = ModelState(of: path) else { return nil }
            let model = InstalledModel(
                name: Self.name(of: path) ?? String(decoding: name, as: UTF8.self), path: path, place: self)
            return FoundModel(model: model, state: state)
        }
    }

    /// All models, complete or not, sorted by the names of their files; those of a Hugging Face layout first.
    func models() -> [FoundModel] {
        let hub = mayBeHub ? HuggingFaceCache(folder).models().map { found($0) } : []
        guard owner != .huggingFace, case .success(let files) = FileSystem.names(in: folder) else { return hub }
        return hub
            + files.compactMap { file in
                let path = folder.appending(file)
                guard let name = Self.name(of: path), let state = ModelState(of: path) else { return nil }
                return FoundModel(model: InstalledModel(name: name, path: path, place: self), state: state)
            }
    }

    private func found(_ snapshot: HuggingFaceCache.Snapshot) -> FoundModel {
        FoundModel(
            model: InstalledModel(
                name: snapshot.repository.modelName, path: snapshot.path, place: self,
                repository: snapshot.repository.id), state: snapshot.state)
    }

    /// The file names that a model's name may stand for.
    private static func fileNames(_ name: [UInt8]) -> [FilePath] {
        [
            FilePath(bytes: name), FilePath(bytes: Array("ggml-".utf8) + name + Array(".bin".utf8)),
            FilePath(bytes: name + Array(".ggml.bin".utf8)), FilePath(bytes: name + Array(".pt".utf8)),
        ]
    }

    /// The model name that a file or folder stands for; `nil` if its name is not that of a model.
    static func name(of path: FilePath) -> String? {
        let text = String(decoding: path.name.bytes, as: UTF8.self)
        guard !text.hasPrefix(".") else { return nil }
        switch FileSystem.status(path) {
        case .success(let status) where status.kind == .folder: return ModelState(of: path) == nil ? nil : text
        case .success(let status) where status.kind == .file: break
        default: return nil
        }
        if text.hasSuffix(".ggml.bin") { return String(text.dropLast(9)) }
        if text.hasPrefix("ggml-"), text.hasSuffix(".bin") { return String(text.dropFirst(5).dropLast(4)) }
        if text.hasSuffix(".pt") { return String(text.dropLast(3)) }
        return nil
    }
}

/// A model that can be used by its name.
package struct InstalledModel: Sendable, Hashable {
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
struct FoundModel {
    let model: InstalledModel
    let state: ModelState
}

/// Whether a file or a folder can be opened as a model. Only opening it shows whether it really is one.
enum ModelState: Hashable {
    case usable
    case notPermitted
    /// A folder whose weights, or some of them, are missing or are links to missing files: an interrupted download.
    case incomplete

    /// `nil` if there is nothing, or if it is a folder without the files of a model.
    init?(of path: FilePath) {
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
            guard !names.isDisjoint(with: Self.descriptions) else { return nil }
            guard let weights = Self.weights.first(where: names.contains) else {
                self = .incomplete
                return
            }
            let shards = weights.hasSuffix(ShardIndex.suffix) ? (try? ShardIndex(path.appending(weights)))?.files : nil
            let needed = ([weights] + Self.descriptions.filter(names.contains)).map { FilePath($0) } + (shards ?? [])
            self = needed.map { Self.state(ofFile: path.appending($0)) }.first { $0 != .usable } ?? .usable
        }
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
    static let weights =
        ["model.bin"]
        + ["model.safetensors", "pytorch_model.bin"].flatMap {
            [$0, $0 + ShardIndex.suffix]
        }

    /// Whether a file in a model's folder belongs to the model: its weights, its shards, its descriptions or what
    /// transformers and CTranslate2 store beside them.
    static func isPart(_ name: FilePath) -> Bool {
        let text = String(decoding: name.bytes, as: UTF8.self)
        let isShard =
            ["model-", "pytorch_model-"].contains { text.hasPrefix($0) }
            && text.contains("-of-") && [".safetensors", ".bin"].contains { text.hasSuffix($0) }
        return isShard || weights.contains(text) || descriptions.contains(text) || companions.contains(text)
    }

    private static let companions = [
        "added_tokens.json", "generation_config.json", "merges.txt", "normalizer.json", "preprocessor_config.json",
        "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json", "vocab.json",
    ]

    /// The size of a model's files in bytes.
    static func bytes(of path: FilePath) -> Int { files(of: path).reduce(0) { $0 + $1.size } }

    /// The regular files of a model with their sizes: the file itself, or those in the folder.
    static func files(of path: FilePath) -> [(path: FilePath, size: Int)] {
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
