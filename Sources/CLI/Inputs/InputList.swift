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

/// The inputs that the operands stand for: files, the media files in folders, standard input. Each occurs once.
package struct InputList: Sendable, Equatable {
    /// The limit of entries visited in a folder and its subfolders.
    package static let maxFiles = 100_000
    /// The limit of nested folders.
    package static let maxDepth = 64

    package enum Item: Sendable, Equatable {
        case input(Input)
        case failure(InputError)
    }

    /// In the order given, with the files of a folder sorted. Includes files that cannot be opened.
    package private(set) var items: [Item] = []
    /// Files given more than once.
    package private(set) var repeated: [Input] = []

    private var seen: Set<FileSystem.Identity> = []

    package init(_ operands: [[UInt8]], standardInput: StandardInput) {
        for operand in operands {
            if operand == Array("-".utf8) {
                addStandardInput(standardInput)
            } else {
                add(FilePath(bytes: operand))
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

    private mutating func add(_ path: FilePath) {
        switch FileSystem.status(path) {
        case .success(let status) where status.kind == .folder: addFolder(path)
        case .success(let status): addFile(path, status)
        case .failure: items.append(.input(.file(path)))
        }
    }

    private mutating func addFile(_ path: FilePath, _ status: FileSystem.Status) {
        if seen.insert(status.identity).inserted {
            items.append(.input(.file(path)))
        } else {
            repeated.append(.file(path))
        }
    }

    private mutating func addFolder(_ folder: FilePath) {
        var search = MediaSearch()
        search.enter(folder)
        if search.hasTooManyFiles { return items.append(.failure(.tooManyFiles(folder))) }
        if search.files.isEmpty, search.unreadable.isEmpty { return items.append(.failure(.emptyFolder(folder))) }
        for (path, status) in search.files { addFile(path, status) }
        for folder in search.unreadable { items.append(.failure(.unreadableFolder(folder))) }
    }
}
