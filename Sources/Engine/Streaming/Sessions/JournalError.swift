/// What can go wrong with the store of sessions and with writing one down.
public enum JournalError: Error, Equatable, Sendable {
    case notPermitted(FilePath)
    case readOnly(FilePath)
    /// The store, or a folder that it needs, cannot be created.
    case cannotCreate(FilePath, reason: String)
    /// Damaged, or no store of sessions at all.
    case corrupt(FilePath)
    case notAFile(FilePath)
    /// Written by a later version of this program.
    case newer(FilePath, version: Int, known: Int)
    /// Another program holds the store for longer than we wait.
    case storeBusy(FilePath)
    /// The session is being recorded by another process, or by another part of this one.
    case sessionBusy(name: String, process: Int?)
    /// Disk full, quota used up, or file size limit reached.
    case noSpace(FilePath)
    case outOfMemory(FilePath)
    case failed(FilePath, reason: String)
    /// The store was removed or replaced while it was being written.
    case gone(FilePath)
    case badName(String)
    /// The session was deleted, or is closed already.
    case notOpen(name: String)
    /// A final does not follow the last one written.
    case outOfOrder(id: Int, expected: Int)
    /// A final is not what was written under its id.
    case changed(id: Int)
    /// A final ends before it starts, starts before the last one ended, or has no time at all.
    case badTime(id: Int)
    case noSavedAudio(name: String, FilePath)

    /// Kinds of errors by what a caller does about them.
    public enum Category: Hashable, Sendable {
        /// The command line is wrong (exit status 64).
        case usage
        /// The store's content is wrong (65).
        case data
        /// What was asked for is not there (66).
        case noInput
        /// A bug of the caller (70).
        case misuse
        /// The store cannot be created (73).
        case cannotCreate
        /// Reading or writing failed midway (74).
        case ioError
        /// Worth trying again later (75).
        case busy
        /// 77
        case noPermission
    }

    public var category: Category {
        switch self {
        case .badName: .usage
        case .corrupt, .notAFile, .newer: .data
        case .noSavedAudio: .noInput
        case .notOpen, .outOfOrder, .changed, .badTime: .misuse
        case .cannotCreate, .readOnly: .cannotCreate
        case .noSpace, .failed, .gone: .ioError
        case .storeBusy, .sessionBusy, .outOfMemory: .busy
        case .notPermitted: .noPermission
        }
    }

    /// The same call may succeed in a second: finals that could not be written are to be kept and given again.
    public var isTemporary: Bool {
        switch self {
        case .noSpace, .storeBusy, .outOfMemory, .failed, .gone, .readOnly: true
        default: false
        }
    }
}

extension JournalError: CustomStringConvertible {
    /// What happened, and where.
    public var description: String {
        switch self {
        case .notPermitted(let path): "not permitted to use \(path)"
        case .readOnly(let path): "cannot write \(path): it is read-only"
        case .cannotCreate(let path, let reason): "cannot create \(path): \(reason)"
        case .corrupt(let path): "\(path) is damaged or not a store of sessions"
        case .notAFile(let path): "\(path) is not a regular file"
        case .newer(let path, let version, let known):
            "\(path) was written by a newer version (layout \(version), known up to \(known))"
        case .storeBusy(let path): "\(path) is in use by another program"
        case .sessionBusy(let name, let process?):
            "session \(ShellQuoting.quoted(name)) is being recorded by process \(process)"
        case .sessionBusy(let name, nil): "session \(ShellQuoting.quoted(name)) is being recorded by another process"
        case .noSpace(let path): "no space left for \(path)"
        case .outOfMemory(let path): "no memory left to use \(path)"
        case .failed(let path, let reason): "cannot use \(path): \(reason)"
        case .gone(let path): "\(path) was removed or replaced while it was being written"
        case .badName(let name): "\(ShellQuoting.quoted(name.prefix(80).utf8)) is no name for a session"
        case .notOpen(let name): "session \(ShellQuoting.quoted(name)) is not open any more"
        case .outOfOrder(let id, let expected): "final \(id) where \(expected) was to follow"
        case .changed(let id): "final \(id) was written before with other content"
        case .badTime(let id): "final \(id) does not follow the one before in time"
        case .noSavedAudio(let name, let path):
            "no saved sound of session \(ShellQuoting.quoted(name)) at \(path)"
        }
    }

    /// What to do about it.
    public var advice: String {
        switch self {
        case .notPermitted: "ask its owner, or set XDG_DATA_HOME to a folder of your own"
        case .readOnly, .cannotCreate: "set XDG_DATA_HOME to a folder that can be written"
        case .corrupt(let path):
            "mv \(path) \(path.adding(".damaged")) (a new store is begun); sqlite3 FILE .recover saves what can be read"
        case .notAFile(let path): "move \(path) away"
        case .newer: "update this program"
        case .storeBusy: "again when the other program has ended"
        case .sessionBusy: "another name, or end that recording first"
        case .noSpace: "free some space; what is final is kept and written then"
        case .outOfMemory: "again when other programs have ended"
        case .failed, .gone: "look whether the disk is still there"
        case .badName: "1 to \(SessionStore.longestName) bytes"
        case .notOpen, .outOfOrder, .changed, .badTime: "report it with this line and the command"
        case .noSavedAudio: "only sessions recorded with --keep-audio can be recovered"
        }
    }
}
