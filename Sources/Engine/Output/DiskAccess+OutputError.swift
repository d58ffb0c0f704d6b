import Glibc

extension DiskAccess.Fault {
    /// The error to tell, for work on `path` in its folder.
    package func outputError(at path: FilePath) -> OutputError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .noSpace(path.folder)
        case EACCES, EPERM: .folderNotWritable(path.folder)
        case EROFS: .readOnlyFileSystem(path.folder)
        case ENAMETOOLONG: .nameTooLong(path)
        case ENOENT: .folderMissing(path.folder)
        case ENOTDIR: .folderIsFile(path.folder)
        case EISDIR: .outputIsFolder(path)
        case ELOOP: .danglingLink(path)
        case EMFILE, ENFILE, ENOMEM: .outOfResources(path)
        case EIO: .writeFailed(path, reason: "the disk reports an error")
        case ESTALE, ENODEV, ENXIO, ETIMEDOUT: .writeFailed(path, reason: "the disk or the server is gone")
        case ETXTBSY, EBUSY: .writeFailed(path, reason: "the file is in use")
        default: .writeFailed(path, reason: "the system refuses it")
        }
    }
}
