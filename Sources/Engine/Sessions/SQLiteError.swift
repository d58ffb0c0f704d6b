import CSQLite
import Glibc

/// Why an SQLite call failed.
package enum SQLiteError: Error, Hashable, Sendable {
    /// The file is damaged or not a database.
    case corrupt
    /// The disk is full, or a quota or file size limit is reached.
    case full
    /// Another connection kept the database locked for longer than the timeout.
    case busy
    /// The file or its folder is read-only.
    case readOnly
    case cannotOpen(errno: Int32)
    case ioError(errno: Int32)
    case outOfMemory
    /// A constraint of the schema was violated; the text is SQLite's message.
    case refused(String)
    /// Any other failure, such as a syntax error; the text is SQLite's message.
    case failed(String)
}

extension SQLiteDatabase {
    /// The reason for the last failure on a connection.
    package static func error(of handle: OpaquePointer) -> SQLiteError {
        let code = unsafe sqlite3_extended_errcode(handle)
        switch code & 0xff {
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt
        case SQLITE_FULL: return .full
        // SQLITE_IOERR_NOMEM, a macro that Swift cannot import.
        case SQLITE_IOERR where code == SQLITE_IOERR | 12 << 8: return .outOfMemory
        case SQLITE_IOERR:
            let numbers = unsafe systemErrors(of: handle)
            // SQLite recognizes a full disk but not quotas and file size limits.
            if numbers.contains(where: [ENOSPC, EDQUOT, EFBIG].contains) { return .full }
            return .ioError(errno: numbers.first ?? 0)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
        case SQLITE_READONLY: return .readOnly
        case SQLITE_CANTOPEN: return .cannotOpen(errno: unsafe sqlite3_system_errno(handle))
        case SQLITE_PERM, SQLITE_AUTH: return .cannotOpen(errno: EACCES)
        case SQLITE_NOMEM: return .outOfMemory
        case SQLITE_CONSTRAINT: return .refused(unsafe String(cString: sqlite3_errmsg(handle)))
        default: return .failed(unsafe String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// The last errno values of the journal, of the database and of the connection, without zeros. Later system calls
    /// may have overwritten the connection's.
    private static func systemErrors(of handle: OpaquePointer) -> [Int32] {
        var (ofLog, ofFile): (Int32, Int32) = (0, 0)
        var log: UnsafeMutablePointer<sqlite3_file>?
        if unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK,
            let log = unsafe log, let methods = unsafe log.pointee.pMethods,
            let control = unsafe methods.pointee.xFileControl
        {
            unsafe _ = control(log, SQLITE_FCNTL_LAST_ERRNO, &ofLog)
        }
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &ofFile)
        return [ofLog, ofFile, unsafe sqlite3_system_errno(handle)].filter { $0 != 0 }
    }
}
