import WhisperEngine

/// The inputs that the operands mean: files, folders walked, standard input; each once.
package struct InputList: Sendable, Equatable {
    /// Files that a walk may meet.
    package static let mostFiles = 100_000
    /// Folders within folders that a walk enters.
    package static let deepestFolder = 64

    package enum Item: Sendable, Equatable {
        case input(Input)
        case failure(InputError)
    }

    /// In the order given; a folder's files sorted. Files that cannot be opened are among them.
    package private(set) var items: [Item] = []
    /// Files given more than once.
    package private(set) var repeated: [Input] = []

    private var seen: Set<FileSystem.Identity> = []

    /// - Parameter standardInput: what stands behind `-`.
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
        var walk = FolderWalk()
        walk.enter(folder, depth: 0)
        if walk.isOverfull { return items.append(.failure(.tooManyFiles(folder))) }
        if walk.files.isEmpty, walk.closed.isEmpty { return items.append(.failure(.emptyFolder(folder))) }
        for (path, status) in walk.files { addFile(path, status) }
        for closed in walk.closed { items.append(.failure(.closedFolder(closed))) }
    }
}
