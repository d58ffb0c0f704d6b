import WhisperEngine

/// The media files below a folder, in the order of their names; hidden files and folders are passed over, and a
/// folder is entered once, whatever links or mounts lead to it.
struct FolderWalk {
    private(set) var files: [(FilePath, FileSystem.Status)] = []
    /// Folders that could not be read.
    private(set) var closed: [FilePath] = []
    private(set) var isOverfull = false

    private var entered: Set<FileSystem.Identity> = []
    private var met = 0

    mutating func enter(_ folder: FilePath, depth: Int) {
        guard depth <= InputList.deepestFolder, case .success(let status) = FileSystem.status(folder),
            entered.insert(status.identity).inserted
        else { return }
        guard case .success(let names) = FileSystem.names(in: folder) else { return closed.append(folder) }
        for name in names where name.bytes.first != UInt8(ascii: ".") {
            met += 1
            guard met <= InputList.mostFiles else {
                isOverfull = true
                return
            }
            let path = folder.appending(name)
            guard case .success(let status) = FileSystem.status(path) else { continue }
            if status.kind == .folder {
                enter(path, depth: depth + 1)
                if isOverfull { return }
            } else if status.kind == .file, MediaType.isMedia(lowercasedExtension: path.lowercasedExtension) {
                files.append((path, status))
            }
        }
    }
}
