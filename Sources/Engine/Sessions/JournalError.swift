package import EngineBasics
import Glibc

/// What can go wrong with the session store and with recording a session.
package enum JournalError: Error, Equatable, Sendable {
    case notPermitted(FilePath)
    case readOnly(FilePath)
    /// The store, or a folder for it, cannot be created.
    case cannotCreate(FilePath, reason: String)
    /// The store is damaged or not a session store.
    case corrupt(FilePath)
    case notAFile(FilePath)
    /// A later version wrote the store.
    case newer(FilePath, version: Int, known: Int)
    /// Another program locked the store for too long.
    case storeBusy(FilePath)
    /// The session is being recorded, by another process or elsewhere in this one.
    case sessionBusy(name: String, process: Int?)
    /// The disk is full, or the quota or the file size limit is reached.
    case noSpace(FilePath)
    case outOfMemory(FilePath)
    case failed(FilePath, reason: String)
    /// The store was removed or replaced while it was open.
    case gone(FilePath)
    case badName(String)
    /// The session was deleted or is already closed.
    case notOpen(name: String)
    /// The id of a final does not continue the ids stored before.
    case outOfOrder(id: Int, expected: Int)
    /// A final differs from the one stored under the same id.
    case changed(id: Int)
    /// A final ends before it starts, starts before the previous one ends, or has an invalid time.
    case badTime(id: Int)
    case noSavedAudio(name: String, FilePath)

    /// Whether opening the store read-only may succeed despite this error.
    var preventsWriting: Bool {
        switch self {
        case .notPermitted, .readOnly, .cannotCreate, .noSpace: true
        case .failed(_, Self.cannotOpen): true
        default: false
        }
    }

    fileprivate static let cannotOpen = "the file cannot be opened"
}

extension JournalError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notPermitted(let path): "cannot use \(path): permission denied"
        case .readOnly(let path): "cannot write \(path): it is read-only"
        case .cannotCreate(let path, let reason): "cannot create \(path): \(reason)"
        case .corrupt(let path): "\(path) is damaged or not a session store"
        case .notAFile(let path): "\(path) is not a regular file"
        case .newer(let path, let version, let known):
            "\(path) was written by a newer version (layout \(version); the latest supported is \(known))"
        case .storeBusy(let path): "\(path) is in use by another program"
        case .sessionBusy(let name, let process?):
            "session \(ShellQuoting.quoted(name)) is being recorded by process \(process)"
        case .sessionBusy(let name, nil): "session \(ShellQuoting.quoted(name)) is being recorded by another process"
        case .noSpace(let path): "cannot write \(path): no space left on device"
        case .outOfMemory(let path): "cannot use \(path): out of memory"
        case .failed(let path, let reason): "cannot use \(path): \(reason)"
        case .gone(let path): "\(path) was removed or replaced while it was open"
        case .badName(let name):
            "invalid session name \(ShellQuoting.quoted(name.prefix(80).utf8)): it must have "
                + "1 to \(SessionStore.maxNameBytes) bytes"
        case .notOpen(let name): "session \(ShellQuoting.quoted(name)) is not open"
        case .outOfOrder(let id, let expected): "final \(id) is out of order: expected \(expected)"
        case .changed(let id): "final \(id) differs from the one already stored"
        case .badTime(let id): "final \(id) has an invalid time or starts before the previous one ends"
        case .noSavedAudio(let name, let path):
            "no saved audio for session \(ShellQuoting.quoted(name)) at \(path)"
        }
    }
}

// MARK: - Causes

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
                ? .failed(path, reason: JournalError.cannotOpen) : DiskAccess.Fault(code: code).journalError(at: path)
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
        case ENOTDIR, EEXIST: .cannotCreate(path, reason: "part of the path is not a folder")
        case ENOENT, ELOOP: .cannotCreate(path, reason: "part of the path does not exist")
        case ENAMETOOLONG: .cannotCreate(path, reason: "the path is too long")
        case EMFILE, ENFILE, ENOMEM: .outOfMemory(path)
        case EIO: .failed(path, reason: "disk I/O error")
        default: .failed(path, reason: "the system refused the operation")
        }
    }
}
