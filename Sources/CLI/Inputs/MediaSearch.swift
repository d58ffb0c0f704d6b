import WhisperEngine

/// Collects the media files in a folder and its subfolders, in the order of their names. Hidden files and folders are
/// skipped, and each folder is entered once, whatever links or mounts lead to it.
struct MediaSearch {
    /// A media file; `subfolder` is its folder relative to the searched one, `nil` for the searched folder itself.
    struct File {
        let path: FilePath
        let status: DiskAccess.Status
        let subfolder: FilePath?
    }

    private(set) var files: [File] = []
    /// Folders that could not be read.
    private(set) var unreadable: [FilePath] = []
    /// The search stopped after `InputList.maxFiles` entries.
    private(set) var hasTooManyFiles = false

    private var entered: Set<DiskAccess.Status.Identity> = []
    private var visited = 0

    mutating func enter(_ folder: FilePath, subfolder: FilePath? = nil, depth: Int = 0) {
        guard depth <= InputList.maxDepth, case .success(let status) = FileSystem.status(folder),
            entered.insert(status.identity).inserted
        else { return }
        guard case .success(let names) = FileSystem.names(in: folder) else { return unreadable.append(folder) }
        for name in names where name.bytes.first != UInt8(ascii: ".") {
            visited += 1
            guard visited <= InputList.maxFiles else {
                hasTooManyFiles = true
                return
            }
            let path = folder.appending(name)
            guard case .success(let status) = FileSystem.status(path) else { continue }
            if status.kind == .folder {
                enter(path, subfolder: subfolder?.appending(name) ?? name, depth: depth + 1)
                if hasTooManyFiles { return }
            } else if status.kind == .file, Self.extensions.contains(path.lowercasedExtension) {
                files.append(File(path: path, status: status, subfolder: subfolder))
            }
        }
    }

    /// Extensions of audio and video files. They matter only within folders: a file given by name is always opened.
    #if HAS_FFMPEG
        private static let extensions: Set<String> = [
            "3gp", "aac", "ac3", "aif", "aiff", "amr", "ape", "asf", "au", "avi", "caf", "dsf", "eac3", "flac", "m2ts",
            "m4a", "m4b", "m4v", "mka", "mkv", "mov", "mp2", "mp3", "mp4", "mpeg", "mpg", "mts", "oga", "ogg", "opus",
            "snd", "ts", "tta", "w64", "wav", "webm", "wma", "wmv", "wv",
        ]
    #else
        private static let extensions: Set<String> = ["wav"]
    #endif
}
