package import EngineBasics

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

    /// The end of the name of a file that is being downloaded.
    package static let partialSuffix = ".part"

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

    /// The models that a name refers to: first those with exactly this name, then those with another name of the
    /// published model that it stands for, then versions of that model.
    package func candidates(_ name: [UInt8]) -> [FoundModel] {
        let published = ModelCatalogue.model(named: String(decoding: name, as: UTF8.self))
        return ModelCatalogue.spellings(of: name).flatMap { models(named: $0) } + (published.map(versions) ?? [])
    }

    /// The files named after a model and the type of their weights, in the order of the types.
    private func versions(of model: PublishedModel) -> [FoundModel] {
        guard owner != .huggingFace, case .success(let files) = FileSystem.names(in: folder) else { return [] }
        let ranked = files.compactMap { file in
            Self.name(ofFile: file).flatMap { model.rank(ofVersion: $0) }.map { (file: file, rank: $0) }
        }
        return ranked.sorted { ($0.rank, $0.file.bytes.count) < ($1.rank, $1.file.bytes.count) }.compactMap {
            found(folder.appending($0.file))
        }
    }

    /// The models with exactly this name, or in the repository with this ID, the preferred one first.
    package func models(named name: [UInt8]) -> [FoundModel] {
        var hub = mayBeHub ? HuggingFaceCache(folder).models(named: name).map { found($0) } : []
        // Unless it is the cache, a folder that cannot be entered is no evidence of a model.
        if owner != .huggingFace { hub.removeAll { FileSystem.status($0.model.path) == .failure(.notPermitted) } }
        if owner == .huggingFace || name.contains(UInt8(ascii: "/")) { return hub }
        return files(named: name) + hub
    }

    private func files(named name: [UInt8]) -> [FoundModel] {
        // `.` and `..` are the folder itself and the one above it; hidden files and partial downloads are not models.
        guard let first = name.first, first != UInt8(ascii: "."),
            !name.suffix(Self.partialSuffix.utf8.count).elementsEqual(Self.partialSuffix.utf8)
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
    package func models() -> [FoundModel] {
        let hub = mayBeHub ? HuggingFaceCache(folder).models().map { found($0) } : []
        guard owner != .huggingFace, case .success(let files) = FileSystem.names(in: folder) else { return hub }
        return hub
            + files.compactMap { file in
                found(folder.appending(file))
            }
    }

    private func found(_ path: FilePath) -> FoundModel? {
        guard let name = Self.name(of: path), let state = ModelState(of: path) else { return nil }
        return FoundModel(model: InstalledModel(name: name, path: path, place: self), state: state)
    }

    private func found(_ snapshot: HuggingFaceCache.Snapshot) -> FoundModel {
        FoundModel(
            model: InstalledModel(
                name: snapshot.repository.modelName, path: snapshot.path, place: self,
                repository: snapshot.repository.id), state: snapshot.state)
    }

    /// What precedes and follows a model's name in the names of files.
    private static let forms = [("ggml-", ".bin"), ("", ".ggml.bin"), ("", ".pt"), ("", ".gguf"), ("", ".nemo")]

    /// The file names that a model's name may stand for.
    private static func fileNames(_ name: [UInt8]) -> [FilePath] {
        [FilePath(bytes: name)]
            + forms.map { start, end in FilePath(bytes: Array(start.utf8) + name + Array(end.utf8)) }
    }

    /// The model name that a file or folder stands for; `nil` if its name is not that of a model.
    package static func name(of path: FilePath) -> String? {
        let text = String(decoding: path.name.bytes, as: UTF8.self)
        guard !text.hasPrefix(".") else { return nil }
        switch FileSystem.status(path) {
        case .success(let status) where status.kind == .folder: return ModelState(of: path) == nil ? nil : text
        case .success(let status) where status.kind == .file: break
        default: return nil
        }
        return name(ofFile: path)
    }

    /// The model name that the name of a file stands for; `nil` if it is not that of a model.
    package static func name(ofFile path: FilePath) -> String? {
        let text = String(decoding: path.name.bytes, as: UTF8.self)
        // The longest end: a model is not called `x.ggml`.
        let form = forms.filter { text.hasPrefix($0.0) && text.hasSuffix($0.1) }.max { $0.1.count < $1.1.count }
        return form.map { String(text.dropFirst($0.0.count).dropLast($0.1.count)) }
    }
}
