package import WhisperEngine

/// A recording to transcribe.
package enum Input: Hashable, Sendable {
    case standardInput
    case file(FilePath)

    /// `-` for standard input.
    package var path: FilePath {
        switch self {
        case .standardInput: FilePath("-")
        case .file(let path): path
        }
    }

    /// The name used in messages.
    package var name: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): path.description
        }
    }
}

/// The inputs that the operands or the entries of a list stand for: files, the media files in folders, standard input.
/// Each occurs once.
///
/// Outputs of an operand go to the output folder, as openai-whisper's do; those of files in a folder to the subfolders in
/// which the files are; those of a list to the folders of the listed path.
package struct InputList: Sendable, Equatable {
    /// The limit of entries visited in a folder and its subfolders.
    package static let maxFiles = 100_000
    /// The limit of nested folders.
    package static let maxDepth = 64

    package enum Item: Sendable, Equatable {
        /// - Parameters:
        ///   - subfolder: the subfolder of the output folder for its outputs; `nil` for the folder itself.
        ///   - keepsExtension: whether the names of its outputs contain its extension.
        case input(Input, subfolder: FilePath? = nil, keepsExtension: Bool = false)
        case failure(InputError)
    }

    /// In the order given, with the files of a folder sorted. Includes files that cannot be opened.
    package private(set) var items: [Item] = []
    /// Files given more than once.
    package private(set) var repeated: [Input] = []

    private var seen: Set<DiskAccess.Status.Identity> = []

    package init(_ operands: [[UInt8]], standardInput: StandardInput) {
        for operand in operands {
            if operand == Array("-".utf8) {
                addStandardInput(standardInput)
            } else {
                add(FilePath(bytes: operand), subfolder: nil)
            }
        }
    }

    /// The inputs of a shard of a list; all of them without a shard.
    ///
    /// - Parameter writesFiles: whether output files are written; if so, their names must differ.
    /// - Throws: two recordings of the list, in any shard, whose outputs would have the same name.
    package init(_ list: FileList, shard: Shard? = nil, writesFiles: Bool = true) throws(FileList.SameOutput) {
        let (entries, repeated, alike) = try list.entries(of: shard, writesFiles: writesFiles)
        self.repeated = repeated.map { .file($0) }
        for index in entries {
            let path = list.path(index)
            if case .success(let status) = FileSystem.status(path), status.kind == .folder {
                addFolder(path, subfolder: OutputPlace(of: path.appending("x")).folder)
            } else {
                add(path, subfolder: OutputPlace(of: path).folder, keepsExtension: alike.contains(index))
            }
        }
    }

    private mutating func addStandardInput(_ state: StandardInput) {
        switch state {
        case .closed: items.append(.failure(.standardInputClosed))
        case .terminal: items.append(.failure(.standardInputTerminal))
        case .readable where items.contains(.input(.standardInput)): repeated.append(.standardInput)
        case .readable: items.append(.input(.standardInput))
        }
    }

    private mutating func add(_ path: FilePath, subfolder: FilePath?, keepsExtension: Bool = false) {
        switch FileSystem.status(path) {
        case .success(let status) where status.kind == .folder: addFolder(path, subfolder: subfolder)
        case .success(let status): addFile(path, status, subfolder: subfolder, keepsExtension: keepsExtension)
        case .failure: items.append(.input(.file(path), subfolder: subfolder, keepsExtension: keepsExtension))
        }
    }

    private mutating func addFile(
        _ path: FilePath, _ status: DiskAccess.Status, subfolder: FilePath?, keepsExtension: Bool = false
    ) {
        if seen.insert(status.identity).inserted {
            items.append(.input(.file(path), subfolder: subfolder, keepsExtension: keepsExtension))
        } else {
            repeated.append(.file(path))
        }
    }

    private mutating func addFolder(_ folder: FilePath, subfolder: FilePath?) {
        var search = MediaSearch()
        search.enter(folder)
        if search.hasTooManyFiles { return items.append(.failure(.tooManyFiles(folder))) }
        if search.files.isEmpty, search.unreadable.isEmpty { return items.append(.failure(.emptyFolder(folder))) }
        for file in search.files {
            let place = file.subfolder.map { subfolder?.appending($0) ?? $0 } ?? subfolder
            addFile(file.path, file.status, subfolder: place)
        }
        for folder in search.unreadable { items.append(.failure(.unreadableFolder(folder))) }
    }
}
