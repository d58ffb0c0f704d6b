import WhisperEngine

/// What an interrupted download of a recognizer has left in a folder, for commands that do not continue it.
struct PartialDownload {
    let path: FilePath
    let bytes: Int

    /// The name of the model that was pulled.
    let name: String

    var version: FilePath { path.adding(PartialFile.versionSuffix) }

    /// - Returns: `nil` if nothing has been left.
    init?(named name: [UInt8], in folder: FilePath) {
        guard let part = Self.all(in: folder).first(where: { $0.name.utf8.elementsEqual(name) }) else { return nil }
        self = part
    }

    /// - Returns: `nil` if a file is not what a download has left.
    private init?(_ path: FilePath) {
        let name = path.name.bytes, suffix = PartialFile.suffix.utf8
        guard name.suffix(suffix.count).elementsEqual(suffix),
            let name = ModelPlace.name(ofFile: FilePath(bytes: name.dropLast(suffix.count))),
            case .success(let status) = FileSystem.status(path), status.kind == .file
        else { return nil }
        (self.path, self.name, bytes) = (path, name, status.size)
    }

    static func all(in folder: FilePath) -> [PartialDownload] {
        guard case .success(let files) = FileSystem.names(in: folder) else { return [] }
        return files.compactMap { PartialDownload(folder.appending($0)) }
    }

    /// Keeps a download from continuing the file while it is removed.
    func lock() throws(PullError) -> LockFile {
        let destination = FilePath(bytes: path.bytes.dropLast(PartialFile.suffix.utf8.count))
        return try PartialFile.lock(for: destination, name: name)
    }
}
