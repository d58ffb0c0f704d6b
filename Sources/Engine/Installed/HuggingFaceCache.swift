import EngineBasics
import EngineParakeet

/// The cache of the Hugging Face hub, where faster-whisper and transformers keep their models.
///
/// A repository `OWNER/NAME` is a folder `models--OWNER--NAME` with `blobs/` (the files), `snapshots/REVISION/` (links to
/// blobs under the files' names) and `refs/BRANCH` (the revision of a branch). A file is linked once its blob is complete.
package struct HuggingFaceCache {
    /// A repository on the hub.
    struct Repository: Hashable {
        /// `openai/whisper-small`
        let id: String

        /// This program's name for the model: openai-whisper's where it is one of its models, else the ID.
        var modelName: String {
            if let name = Self.others.first(where: { $0.value == id })?.key { return name }
            for (prefix, start) in Self.families where id.hasPrefix(prefix) {
                return start + String(id.dropFirst(prefix.count))
            }
            return id
        }

        /// The repositories of a model, in the order in which they are preferred: faster-whisper's files are half as
        /// large as most of transformers', with the same numbers.
        static func candidates(_ name: String) -> [Repository] {
            let ids = families.compactMap { prefix, start -> String? in
                guard name.hasPrefix(start), !(start.isEmpty && name.hasPrefix("distil-")) else { return nil }
                return prefix + String(name.dropFirst(start.count))
            }
            return ([others[name]].compactMap { $0 } + ids).map { Repository(id: $0) }
        }

        /// Prefixes of the repositories of faster-whisper and transformers, and what each stands for in the model's
        /// name.
        private static let families: KeyValuePairs = [
            "Systran/faster-whisper-": "", "Systran/faster-distil-whisper-": "distil-", "openai/whisper-": "",
            "distil-whisper/distil-": "distil-",
        ]

        /// faster-whisper's models with other owners, and NVIDIA's.
        private static let others = [
            "large-v3-turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
            "distil-large-v3.5": "distil-whisper/distil-large-v3.5-ct2",
        ].merging(ModelCatalogue.repositories) { $1 }
    }

    /// The revision of a repository that is in use.
    struct Snapshot {
        let repository: Repository
        let path: FilePath
        let state: ModelState
    }

    let folder: FilePath

    init(_ folder: FilePath) { self.folder = folder }

    /// `$HF_HUB_CACHE`, `$HUGGINGFACE_HUB_CACHE` (its former name), `$HF_HOME/hub`, or `huggingface/hub` in the user's
    /// cache folder.
    static func folder(_ environment: ProcessEnvironment) -> FilePath? {
        environment.absolutePath("HF_HUB_CACHE") ?? environment.absolutePath("HUGGINGFACE_HUB_CACHE")
            ?? (environment.absolutePath("HF_HOME") ?? environment.cacheFolder?.appending("huggingface"))?
            .appending("hub")
    }

    /// The models with this name, or in the repository with this ID.
    func models(named name: [UInt8]) -> [Snapshot] {
        guard let text = String(validating: name, as: UTF8.self) else { return [] }
        return (text.contains("/") ? [Repository(id: text)] : Repository.candidates(text)).compactMap(snapshot)
    }

    /// The speech recognition models, sorted by the names of their folders.
    func models() -> [Snapshot] {
        guard case .success(let names) = FileSystem.names(in: folder) else { return [] }
        return names.compactMap { name in
            guard let text = String(validating: name.bytes, as: UTF8.self), text.hasPrefix(Self.prefix),
                let (owner, name) = Self.halves(text.dropFirst(Self.prefix.count)),
                let snapshot = snapshot(Repository(id: "\(owner)/\(name)"))
            else { return nil }
            // The cache contains models of all kinds. Those with names of their own are listed even if incomplete.
            let isKnown = snapshot.repository.modelName != snapshot.repository.id
            return isKnown || Self.isRecognizer(snapshot.path) ? snapshot : nil
        }
    }

    private static let prefix = "models--"

    /// `OWNER--NAME`; an owner's name cannot contain two dashes in a row.
    private static func halves(_ text: Substring) -> (owner: Substring, name: Substring)? {
        var dash = text.startIndex
        while dash < text.endIndex {
            let rest = text[dash...]
            if rest.hasPrefix("--") {
                let name = rest.dropFirst(2)
                return dash > text.startIndex && !name.isEmpty ? (text[..<dash], name) : nil
            }
            dash = text.index(after: dash)
        }
        return nil
    }

    /// The revision that `refs/main` names, or the only one if there is no such reference; `nil` if there is none.
    private func snapshot(_ repository: Repository) -> Snapshot? {
        let parts = repository.id.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ Self.isPlain(String($0)) }) else { return nil }
        let root = folder.appending("\(Self.prefix)\(parts[0])--\(parts[1])")
        let snapshots = root.appending("snapshots")
        switch FileSystem.contents(of: root.appending("refs/main"), atMost: 1024) {
        case .success(let bytes):
            let revision = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
            guard Self.isPlain(revision) else { return nil }
            return self.snapshot(repository, at: snapshots.appending(revision))
        case .failure(.notPermitted):
            return Snapshot(repository: repository, path: root, state: .notPermitted)
        case .failure:
            guard case .success(let revisions) = FileSystem.names(in: snapshots), revisions.count == 1 else {
                return nil
            }
            return self.snapshot(repository, at: snapshots.appending(revisions[0]))
        }
    }

    /// - Returns: `nil` for a folder with neither weights nor `config.json`, unless a download is unfinished: some
    ///   programs need only the tokenizer.
    private func snapshot(_ repository: Repository, at path: FilePath) -> Snapshot? {
        let blobs = names(in: path.folder.folder.appending("blobs"))
        let isUnfinished = blobs.contains { $0.hasSuffix(".incomplete") }
        var state = ModelState(of: path) ?? .incomplete
        if state == .onnx, isUnfinished { state = .incomplete }
        if state == .incomplete {
            let files = names(in: path)
            let isNetwork =
                !files.isDisjoint(with: ModelState.weights) || files.contains("config.json")
                || files.contains { ParakeetFileInFolder.isName(FilePath($0)) }
            guard isNetwork || isUnfinished else { return nil }
        }
        return Snapshot(repository: repository, path: path, state: state)
    }

    private func names(in folder: FilePath) -> Set<String> {
        guard case .success(let names) = FileSystem.names(in: folder) else { return [] }
        return Set(names.map { String(decoding: $0.bytes, as: UTF8.self) })
    }

    /// Whether a text is the name of a file or folder, not a path.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".." && !text.contains("/")
    }

    /// Whether a folder describes a network of one of the families.
    private static func isRecognizer(_ folder: FilePath) -> Bool {
        if ParakeetFolder.recognizes(folder) { return true }
        // NVIDIA's other models, and those of other programs, are in such files, too.
        if ParakeetFamily.recognizes(folder), (try? ParakeetFamily.open(folder)) != nil { return true }
        // CTranslate2's description does not name the architecture; the weights do.
        if let file = try? ReadOnlyFile(folder.appending("model.bin")),
            let head = try? file.bytes(0..<min(17, file.count)), head.suffix(11) == Array("WhisperSpec".utf8)
        {
            return true
        }
        guard case .success(let text) = FileSystem.contents(of: folder.appending("config.json"), atMost: 1 << 20),
            let config = try? JSONValue(text, depth: 16, members: 100_000)
        else { return false }
        return config["model_type"]?.string == "whisper"
    }
}
