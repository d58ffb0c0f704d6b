package import EngineBasics
import Glibc

/// What can go wrong when writing transcript files.
package enum OutputError: Error, Equatable, Sendable {
    case unknownFormat(String)
    case emptyFormat
    /// Two inputs have the same output file; detected before recognition.
    case sameOutput(output: FilePath, first: FilePath, second: FilePath)
    case overwritesInput(output: FilePath, input: FilePath)
    case folderIsFile(FilePath)
    case folderMissing(FilePath)
    /// The path is relative, but the current folder has been deleted.
    case currentFolderDeleted
    case folderNotWritable(FilePath)
    case readOnlyFileSystem(FilePath)
    case nameTooLong(FilePath)
    case outputIsFolder(FilePath)
    /// The output is a device, a pipe or a socket.
    case outputIsSpecial(FilePath)
    /// The output is a symbolic link without a target, or in a loop of links.
    case danglingLink(FilePath)
    /// The output belongs to another user, and replacing it would change its owner.
    case ownerWouldChange(FilePath)
    /// The disk is full, or the quota or the file size limit is reached, in this folder.
    case noSpace(FilePath)
    case writeFailed(FilePath, reason: String)
    /// The output is a symbolic link that another user created in a world-writable folder.
    case untrustedLink(FilePath)
    /// A file that is not a lock file has the name of the output's lock file.
    case notALock(FilePath)
    /// The lock file could not be locked; nothing has been recognized yet.
    case cannotLock(FilePath, reason: String)
    /// Another run is writing the same file. `process` is its number, if known.
    case busy(FilePath, process: Int?)
    /// Out of file descriptors or memory.
    case outOfResources(FilePath)
}

extension OutputError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownFormat(let name): "unknown output format \(ShellQuoting.quoted(name))"
        case .emptyFormat: "empty name in the list of output formats"
        case .sameOutput(let output, let first, let second):
            "\(first) and \(second) have the same output file \(output)"
        case .overwritesInput(let output, let input): "output \(output) would overwrite the input \(input)"
        case .folderIsFile(let folder): "output folder \(folder) is a file"
        case .folderMissing(let folder): "output folder \(folder) does not exist"
        case .currentFolderDeleted: "the current folder has been deleted"
        case .folderNotWritable(let folder): "cannot write to folder \(folder): permission denied"
        case .readOnlyFileSystem(let folder): "cannot write to folder \(folder): read-only file system"
        case .nameTooLong(let path) where path.name.bytes.count > 255:
            "file name too long (\(path.name.bytes.count) bytes, maximum 255): \(path)"
        case .nameTooLong(let path): "path too long (\(path.bytes.count) bytes): \(path)"
        case .outputIsFolder(let path): "output \(path) is a folder"
        case .outputIsSpecial(let path): "output \(path) is not a regular file"
        case .danglingLink(let path): "output \(path) is a broken symbolic link"
        case .ownerWouldChange(let path): "output \(path) belongs to another user"
        case .noSpace(let folder): "cannot write to folder \(folder): no space left on device"
        case .writeFailed(let path, let reason): "cannot write \(path): \(reason)"
        case .untrustedLink(let path): "output \(path) is a symbolic link that belongs to another user"
        case .notALock(let path): "\(path) has the name of a lock file, but is something else"
        case .cannotLock(let path, let reason): "cannot lock \(path): \(reason)"
        case .busy(let path, let process?): "\(path) is being written by process \(process)"
        case .busy(let path, nil): "\(path) is being written by another process"
        case .outOfResources(let path): "cannot write \(path): too many open files or out of memory"
        }
    }
}

extension DiskAccess.Fault {
    /// Returns the error for creating something in a folder that exists.
    func creationError(at path: FilePath) -> OutputError {
        let error = outputError(at: path)
        // No file can be created in some folders, such as /proc.
        return error == .folderMissing(path.folder) ? .folderNotWritable(path.folder) : error
    }

    /// Returns the error for an operation on `path` or its folder.
    package func outputError(at path: FilePath) -> OutputError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .noSpace(path.folder)
        case EACCES, EPERM: .folderNotWritable(path.folder)
        case EROFS: .readOnlyFileSystem(path.folder)
        case ENAMETOOLONG: .nameTooLong(path)
        case ENOENT: path.isInDeletedFolder ? .currentFolderDeleted : .folderMissing(path.folder)
        case ENOTDIR: .folderIsFile(path.folder)
        case EISDIR: .outputIsFolder(path)
        case ELOOP: .danglingLink(path)
        case EMFILE, ENFILE, ENOMEM: .outOfResources(path)
        case EIO: .writeFailed(path, reason: "disk I/O error")
        case ESTALE, ENODEV, ENXIO, ETIMEDOUT: .writeFailed(path, reason: "the disk or file server is unavailable")
        case ETXTBSY, EBUSY: .writeFailed(path, reason: "the file is in use")
        default: .writeFailed(path, reason: "the system refused the operation")
        }
    }
}
