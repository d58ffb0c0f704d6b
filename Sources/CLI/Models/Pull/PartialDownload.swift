import WhisperEngine

/// What an interrupted download of a recognizer has left in a folder, for commands that do not continue it.
struct PartialDownload {
    let path: FilePath
    let bytes: Int

    /// The name of the model that was pulled.
    var name: String { String(decoding: path.name.bytes.dropFirst(5).dropLast(Self.suffix.utf8.count), as: UTF8.self) }

    var version: FilePath { path.adding(PartialFile.versionSuffix) }

    private static let suffix = ".bin" + PartialFile.suffix

    /// - Returns: `nil` if nothing has been left.
    init?(named name: [UInt8], in folder: FilePath) {
        let file = FilePath(bytes: Array("ggml-".utf8) + name).adding(Self.suffix)
        path = folder.appending(file)
        guard case .success(let status) = FileSystem.status(path), status.kind == .file else { return nil }
        bytes = status.size
    }

    static func all(in folder: FilePath) -> [PartialDownload] {
        guard case .success(let files) = FileSystem.names(in: folder) else { return [] }
        return files.compactMap { file in
            let (bytes, start, end) = (file.bytes, Array("ggml-".utf8), Array(suffix.utf8))
            guard bytes.starts(with: start), bytes.suffix(end.count) == end[...], bytes.count > start.count + end.count
            else { return nil }
            return PartialDownload(named: Array(bytes.dropFirst(start.count).dropLast(end.count)), in: folder)
        }
    }

    /// Keeps a download from continuing the file while it is removed.
    func lock() throws(PullError) -> LockFile {
        let destination = FilePath(bytes: path.bytes.dropLast(PartialFile.suffix.utf8.count))
        return try PartialFile.lock(for: destination, name: name)
    }
}
