import Glibc

extension SQLiteError {
    func journalError(at path: FilePath) -> JournalError {
        switch self {
        case .corrupt: .corrupt(path)
        case .full: .noSpace(path)
        case .busy: .storeBusy(path)
        case .readOnly: .readOnly(path)
        case .ioError(0): .failed(path, reason: "reading or writing failed")
        case .cannotOpen(let code), .ioError(let code):
            code == 0
                ? .failed(path, reason: "it cannot be opened") : DiskAccess.Fault(code: code).journalError(at: path)
        case .outOfMemory: .outOfMemory(path)
        case .refused(let reason), .failed(let reason): .failed(path, reason: reason)
        }
    }
}

extension DiskAccess.Fault {
    func journalError(at path: FilePath) -> JournalError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .noSpace(path)
        case EACCES, EPERM: .notPermitted(path)
        case EROFS: .readOnly(path)
        case ENOTDIR, EEXIST: .cannotCreate(path, reason: "a part of the path is no folder")
        case ENOENT, ELOOP: .cannotCreate(path, reason: "a part of the path leads nowhere")
        case ENAMETOOLONG: .cannotCreate(path, reason: "the path is too long")
        case EMFILE, ENFILE, ENOMEM: .outOfMemory(path)
        case EIO: .failed(path, reason: "the disk reports an error")
        default: .failed(path, reason: "the system refuses it")
        }
    }
}

extension JournalError {
    /// What reading alone might not meet.
    var isAboutWriting: Bool {
        switch self {
        case .notPermitted, .readOnly, .cannotCreate, .noSpace: true
        case .failed(_, "it cannot be opened"): true
        default: false
        }
    }
}
