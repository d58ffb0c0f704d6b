import Glibc
package import WhisperEngine

/// Reasons why a database of the server cannot be used.
package enum StoreError: Error, Equatable, Sendable {
    /// The file is damaged or belongs to something else.
    case damaged(FilePath)
    case notAFile(FilePath)
    /// A later version wrote the file.
    case newer(FilePath, version: Int, known: Int)
    case notPermitted(FilePath)
    case readOnly(FilePath)
    /// Another process locked the file for too long.
    case busy(FilePath)
    /// The disk is full, or a quota or file size limit is reached.
    case noSpace(FilePath)
    case outOfMemory(FilePath)
    case failed(FilePath, reason: String)
}

extension StoreError {
    init(_ error: any Error, at path: FilePath) {
        self =
            switch error {
            case let error as StoreError: error
            case let error as SQLiteError: Self.error(error, at: path)
            case let error as PrivateFile.Failure: Self.error(error.fault, at: error.path)
            case let error as DiskAccess.Fault: Self.error(error, at: path)
            default: .failed(path, reason: "\(error)")
            }
    }

    private static func error(_ error: SQLiteError, at path: FilePath) -> StoreError {
        switch error {
        case .corrupt: .damaged(path)
        case .full: .noSpace(path)
        case .busy: .busy(path)
        case .readOnly: .readOnly(path)
        case .cannotOpen(let code), .ioError(let code): Self.error(DiskAccess.Fault(code: code), at: path)
        case .outOfMemory: .outOfMemory(path)
        case .refused(let reason), .failed(let reason): .failed(path, reason: reason)
        }
    }

    private static func error(_ fault: DiskAccess.Fault, at path: FilePath) -> StoreError {
        switch fault.code {
        case EACCES, EPERM: .notPermitted(path)
        case EROFS: .readOnly(path)
        case ENOSPC, EDQUOT, EFBIG: .noSpace(path)
        case EMFILE, ENFILE, ENOMEM: .outOfMemory(path)
        case ENOTDIR, EEXIST: .failed(path, reason: "part of the path is not a folder")
        case ENAMETOOLONG: .failed(path, reason: "the path is too long")
        default: .failed(path, reason: "reading or writing failed")
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .damaged(let path): "\(path) is damaged or was not written by this program"
        case .notAFile(let path): "\(path) is not a regular file"
        case .newer(let path, let version, let known):
            "\(path) was written by a newer version (layout \(version); the latest supported is \(known))"
        case .notPermitted(let path): "cannot use \(path): permission denied"
        case .readOnly(let path): "cannot write \(path): it is read-only"
        case .busy(let path): "\(path) is in use by another program"
        case .noSpace(let path): "cannot write \(path): no space left on device"
        case .outOfMemory(let path): "cannot use \(path): out of memory"
        case .failed(let path, let reason): "cannot use \(path): \(reason)"
        }
    }
}
