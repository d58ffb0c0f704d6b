/// What can go wrong between a transcript and its files.
public enum OutputError: Error, Equatable, Sendable {
    case unknownFormat(String)
    case emptyFormat
    /// Two inputs would write one file; known before work.
    case sameOutput(output: FilePath, first: FilePath, second: FilePath)
    case overwritesInput(output: FilePath, input: FilePath)
    case folderIsFile(FilePath)
    case folderMissing(FilePath)
    case folderNotWritable(FilePath)
    case readOnlyFileSystem(FilePath)
    case nameTooLong(FilePath)
    case outputIsFolder(FilePath)
    /// A device, a pipe, a socket.
    case outputIsSpecial(FilePath)
    /// A symbolic link that leads nowhere or in a circle.
    case danglingLink(FilePath)
    /// Replacing another user's file would make it this user's.
    case ownerWouldChange(FilePath)
    /// Disk full, quota used up, or file size limit reached, in this folder.
    case noSpace(FilePath)
    case writeFailed(FilePath, reason: String)
    /// Another run is writing the same file; its process where that is known.
    case busy(FilePath, process: Int?)
    /// No free file descriptors or no memory in the system.
    case outOfResources(FilePath)

    /// Kinds of errors by what a caller does about them.
    public enum Category: Hashable, Sendable {
        /// The command line is wrong (exit status 64).
        case usage
        /// The output cannot be created, whatever is recognized (73).
        case cannotCreate
        /// Writing failed midway (74).
        case ioError
        /// Worth trying again later (75).
        case busy
    }

    public var category: Category {
        switch self {
        case .unknownFormat, .emptyFormat: .usage
        case .noSpace, .writeFailed: .ioError
        case .busy, .outOfResources: .busy
        default: .cannotCreate
        }
    }
}

extension OutputError: CustomStringConvertible {
    /// What happened, and where.
    public var description: String {
        switch self {
        case .unknownFormat(let name): "unknown output format \(ShellQuoting.quoted(name))"
        case .emptyFormat: "empty name in the list of output formats"
        case .sameOutput(let output, let first, let second): "\(first) and \(second) would both write \(output)"
        case .overwritesInput(let output, let input): "refuses to overwrite its own input \(input) with \(output)"
        case .folderIsFile(let folder): "output folder \(folder) is a file"
        case .folderMissing(let folder): "no output folder \(folder)"
        case .folderNotWritable(let folder): "not permitted to write in \(folder)"
        case .readOnlyFileSystem(let folder): "\(folder) is on a read-only file system"
        case .nameTooLong(let path) where path.name.bytes.count > 255:
            "name too long (\(path.name.bytes.count) bytes, at most 255): \(path)"
        case .nameTooLong(let path): "path too long (\(path.bytes.count) bytes): \(path)"
        case .outputIsFolder(let path): "output \(path) is a folder"
        case .outputIsSpecial(let path): "output \(path) is a device or a pipe, not a file"
        case .danglingLink(let path): "output \(path) is a symbolic link to nothing"
        case .ownerWouldChange(let path): "output \(path) belongs to another user"
        case .noSpace(let folder): "no space left in \(folder)"
        case .writeFailed(let path, let reason): "cannot write \(path): \(reason)"
        case .busy(let path, let process?): "\(path) is being written by process \(process)"
        case .busy(let path, nil): "\(path) is being written by another process"
        case .outOfResources(let path): "too many open files or no memory while writing \(path)"
        }
    }

    /// What to do about it.
    public var advice: String {
        switch self {
        case .unknownFormat, .emptyFormat:
            "one or more of " + OutputFormat.allCases.map(\.rawValue).joined(separator: ",") + ", or all"
        case .sameOutput: "one output folder for each input, or rename one of them"
        case .overwritesInput: "another output folder or another format"
        case .folderIsFile, .folderNotWritable, .readOnlyFileSystem: "another folder with --output-dir"
        case .folderMissing(let folder): "mkdir -p \(folder)"
        case .nameTooLong: "a shorter file name"
        case .outputIsFolder, .outputIsSpecial: "move it away, or another folder with --output-dir"
        case .danglingLink(let path): "rm \(path)"
        case .ownerWouldChange: "remove the file, or another folder with --output-dir"
        case .noSpace: "free some space and run again; the text so far is on standard output"
        case .writeFailed: "another folder with --output-dir; the text so far is on standard output"
        case .busy: "wait for that run to end, or another folder with --output-dir"
        case .outOfResources: "again when other programs have ended"
        }
    }
}
