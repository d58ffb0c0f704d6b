package import WhisperEngine

/// Locates models: by path, then by name in a list of folders.
package struct ModelSearch: Sendable {
    /// The folders in search order.
    package let folders: [FilePath]

    /// - Parameters:
    ///   - first: the folder given on the command line.
    ///   - executable: this program's path, from which `<prefix>/share` and the repository's `Models/` are derived.
    package init(first: FilePath? = nil, environment: ProcessEnvironment, executable: FilePath?) {
        var folders: [FilePath] = first.map { [$0] } ?? []
        if let list = environment.bytes("WHISPER_LOCAL_MODELS") {
            folders += list.split(separator: UInt8(ascii: ":")).map { FilePath(bytes: $0) }
        }
        if let folder = Self.ownFolder(environment) { folders.append(folder) }
        if let executable {
            folders.append(executable.folder.folder.appending("share/whisper-local/models"))
            if let root = Self.repository(of: executable) { folders.append(root.appending("Models")) }
        }
        self.folders = folders.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The folder for the user's own models; `nil` if neither `XDG_DATA_HOME` nor `HOME` is an absolute path.
    static func ownFolder(_ environment: ProcessEnvironment) -> FilePath? {
        environment.baseFolder("XDG_DATA_HOME", fallback: ".local/share")?
            .appending("whisper-local").appending("models")
    }

    /// The model that a path or a name refers to.
    package func find(_ wanted: [UInt8]) throws(ModelSearchError) -> FilePath {
        let path = FilePath(bytes: wanted)
        let isPath = wanted.contains(UInt8(ascii: "/"))
        switch FileSystem.status(path) {
        case .success(let status) where status.kind == .folder:
            // A folder of that name in the current folder must not hide an installed model.
            if Self.holdsModel(path) { return path }
            if isPath { throw .folderWithoutModel(path) }
        case .success:
            guard FileSystem.isReadable(path) else { throw .notPermitted(path) }
            return path
        case .failure(.notPermitted):
            throw .notPermitted(path)
        case .failure:
            if isPath { throw .noPath(path) }
        }
        for folder in folders {
            for candidate in Self.candidates(wanted) {
                let path = folder.appending(candidate)
                guard case .success(let status) = FileSystem.status(path) else { continue }
                if status.kind == .folder, !Self.holdsModel(path) { continue }
                guard FileSystem.isReadable(path) else { throw .notPermitted(path) }
                return path
            }
        }
        let names = installed().map(\.name)
        let word = String(decoding: wanted, as: UTF8.self)
        throw .notInstalled(name: wanted, installed: names, nearest: Suggestion.nearest(to: word, among: names))
    }

    /// The first file of that name in the folders, if any.
    func file(named name: String) -> FilePath? {
        folders.map { $0.appending(FilePath(name)) }.first {
            if case .success(let status) = FileSystem.status($0) { status.kind == .file } else { false }
        }
    }

    /// The models in the folders; of several with the same name, the one that `find` returns.
    package func installed() -> [(name: String, path: FilePath)] {
        var models: [(name: String, path: FilePath)] = []
        for folder in folders {
            guard case .success(let names) = FileSystem.names(in: folder) else { continue }
            for file in names {
                let path = folder.appending(file)
                guard let name = Self.name(of: path), !models.contains(where: { $0.name == name }) else {
                    continue
                }
                models.append((name, path))
            }
        }
        return models
    }

    /// The file names that a model's name may stand for.
    static func candidates(_ name: [UInt8]) -> [FilePath] {
        [
            FilePath(bytes: name), FilePath(bytes: Array("ggml-".utf8) + name + Array(".bin".utf8)),
            FilePath(bytes: name + Array(".ggml.bin".utf8)), FilePath(bytes: name + Array(".pt".utf8)),
        ]
    }

    /// The model name for a file or folder; `nil` if its name is not that of a model.
    static func name(of path: FilePath) -> String? {
        let text = String(decoding: path.name.bytes, as: UTF8.self)
        guard !text.hasPrefix(".") else { return nil }
        switch FileSystem.status(path) {
        case .success(let status) where status.kind == .folder: return holdsModel(path) ? text : nil
        case .success(let status) where status.kind == .file: break
        default: return nil
        }
        if text.hasSuffix(".ggml.bin") { return String(text.dropLast(9)) }
        if text.hasPrefix("ggml-"), text.hasSuffix(".bin") { return String(text.dropFirst(5).dropLast(4)) }
        if text.hasSuffix(".pt") { return String(text.dropLast(3)) }
        return nil
    }

    private static func holdsModel(_ folder: FilePath) -> Bool {
        if case .success = FileSystem.status(folder.appending("config.json")) { return true }
        return false
    }

    /// The repository that contains the executable as `.build/…/whisper-local`, if any.
    static func repository(of executable: FilePath) -> FilePath? {
        var folder = executable.folder
        for _ in 0..<16 {
            if folder.name == FilePath(".build") { return folder.folder }
            if folder.folder == folder { return nil }
            folder = folder.folder
        }
        return nil
    }
}

/// The model to load: the one given, else the environment's, else the one that comes with the program.
struct ModelChoice {
    static let variable = "WHISPER_LOCAL_MODEL"
    static let defaultName = "nano.en"

    let path: FilePath
    /// The name used in messages and output files.
    let name: String
    let search: ModelSearch

    init(_ options: some ModelOptions, context: CommandContext) throws {
        search = ModelSearch(
            first: options.modelFolder, environment: context.environment, executable: Machine.executable)
        let fromVariable = options.model == nil ? context.environment.bytes(Self.variable) : nil
        let wanted = options.model?.bytes ?? fromVariable ?? Array(Self.defaultName.utf8)
        do {
            path = try search.find(wanted)
        } catch {
            throw error.report(from: fromVariable == nil ? nil : Self.variable)
        }
        name = ModelSearch.name(of: path) ?? String(decoding: path.name.bytes, as: UTF8.self)
    }

    /// Loads the model; with `--verbose` the console shows how long that took.
    func load(_ options: ComputeOptions, console: Console) async throws -> Recognizer {
        let start = ContinuousClock.now
        let recognizer = try await Recognizer(model: path, options: options)
        let milliseconds = (ContinuousClock.now - start) / Duration.milliseconds(1)
        console.detail("model \(name) (\(path)) loaded in \(Int(milliseconds)) ms")
        return recognizer
    }
}
