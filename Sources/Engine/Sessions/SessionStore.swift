package import EngineBasics
import Glibc
package import EngineTranscripts

/// The database of live sessions, with locks and saved audio in the folder `sessions.d` beside it.
///
/// Each store is one connection, used by one thread at a time.
package final class SessionStore {
    /// Maximum length of a session name in UTF-8 bytes.
    package static let maxNameBytes = 256
    /// A store with a greater position or count is damaged: 500 years of samples. Sums of smaller ones cannot overflow.
    static let maxNumber: UInt = 1 << 48

    package let path: FilePath
    let database: SQLiteDatabase
    let wallClock: @Sendable () -> WallTime
    /// Why the store is read-only, or `nil` if it can be written.
    let writeFailure: JournalError?

    /// Opens an existing store, read-only if it cannot be written, and marks sessions whose process died.
    ///
    /// - Returns: `nil` if there is no store.
    package static func open(
        _ path: FilePath, wallClock: @escaping @Sendable () -> WallTime = { .now }
    ) throws(JournalError) -> SessionStore? {
        guard try exists(path) else { return nil }
        let writeFailure: JournalError
        do throws(JournalError) {
            return try SessionStore(path, access: .write, wallClock)
        } catch {
            guard error.preventsWriting else { throw error }
            writeFailure = error
        }
        do throws(JournalError) {
            return try SessionStore(path, access: .read, writeFailure: writeFailure, wallClock)
        } catch {
            // A read-only folder allows no shared memory with writers. If one left a log, it may contain more than the
            // database file.
            guard error.preventsWriting, !hasLog(path) else { throw error }
        }
        return try SessionStore(path, access: .frozen, writeFailure: writeFailure, wallClock)
    }

    /// Opens a store for writing and creates it if necessary, private to the user: its folders with mode 0700, the file
    /// with mode 0600. Existing ones keep their mode.
    package static func create(
        _ path: FilePath, wallClock: @escaping @Sendable () -> WallTime = { .now }
    ) throws(JournalError) -> SessionStore {
        if try !exists(path) {
            do { try PrivateFile.create(path) } catch { throw error.fault.journalError(at: error.path) }
        }
        return try SessionStore(path, access: .write, wallClock)
    }

    private init(
        _ path: FilePath, access: SQLiteDatabase.Access, writeFailure: JournalError? = nil,
        _ wallClock: @escaping @Sendable () -> WallTime
    ) throws(JournalError) {
        self.path = path
        self.wallClock = wallClock
        self.writeFailure = writeFailure
        do {
            database = try SQLiteDatabase.open(path, access: access) { try Self.prepare($0, access, path) }
        } catch {
            throw Self.journalError(error, at: path)
        }
        if writeFailure == nil { markAbandonedSessions() }
    }

    private static func prepare(
        _ database: SQLiteDatabase, _ access: SQLiteDatabase.Access, _ path: FilePath
    ) throws {
        try database.execute(
            """
            PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;
            """)
        var version = try database.version
        if access == .write {
            // A file system without shared memory keeps the previous journal mode, which is as safe.
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
            if version < SessionSchema.version { version = try database.migrate(SessionSchema.migrations) }
        }
        guard version <= SessionSchema.version else {
            throw JournalError.newer(path, version: version, known: SessionSchema.version)
        }
        let entries = try database.rows("SELECT type, name, sql FROM sqlite_schema") { row in
            SessionSchema.Entry(type: row.text(0), name: row.text(1), sql: row.optionalText(2))
        }
        guard SessionSchema.accepts(entries) else { throw SQLiteError.corrupt }
    }

    // MARK: Files

    /// The folder of locks and saved audio.
    var folder: FilePath { path.folder.appending("sessions.d") }

    /// Returns the file of a session, or `nil` for a foreign id, which must not become part of a path.
    private func file(of id: SessionID, suffix: String) -> FilePath? {
        let text = id.description
        let isPlain = text.utf8.allSatisfy { ($0 >= 48 && $0 <= 57) || ($0 >= 97 && $0 <= 102) || $0 == 45 }
        guard isPlain, text.utf8.count == 36 else { return nil }
        return folder.appending(text + suffix)
    }

    /// Returns where the audio of a session is saved, if it is.
    package func savedAudio(of id: SessionID) -> FilePath? { file(of: id, suffix: ".wav") }

    /// Locks a session, so that no other process can record, recover or delete it.
    ///
    /// - Parameter waits: whether to wait briefly for a process that holds the lock to mark the session as recovered.
    /// - Throws: `JournalError.sessionBusy`.
    func lock(_ id: SessionID, name: String, waits: Bool = true) throws(JournalError) -> LockFile? {
        guard let file = file(of: id, suffix: ".lock") else { return nil }
        try Self.createFolder(folder)
        var attempts = waits ? 10 : 1
        while true {
            attempts -= 1
            do {
                return try LockFile(file, mode: 0o600)
            } catch {
                switch error {
                case .held where attempts > 0: usleep(10_000)
                case .held(let process): throw .sessionBusy(name: name, process: process)
                case .foreign: throw .notAFile(file)
                case .failed(let fault): throw fault.journalError(at: file)
                }
            }
        }
    }

    // MARK: Errors

    /// Runs `body` and converts its errors to `JournalError`.
    func mappingErrors<Result>(_ body: () throws -> Result) throws(JournalError) -> Result {
        do { return try body() } catch { throw Self.journalError(error, at: path) }
    }

    private static func journalError(_ error: any Error, at path: FilePath) -> JournalError {
        switch error {
        case let error as JournalError: error
        case let error as SQLiteError: error.journalError(at: path)
        default: .failed(path, reason: "\(error)")
        }
    }

    private static func exists(_ path: FilePath) throws(JournalError) -> Bool {
        let kind: DiskAccess.Status.Kind?
        do { kind = try DiskAccess.kind(of: path) } catch { throw error.journalError(at: path) }
        guard kind == nil || kind == .file else { throw .notAFile(path) }
        return kind != nil
    }

    private static func hasLog(_ path: FilePath) -> Bool {
        let log = try? DiskAccess.status(of: path.adding("-wal"), followingLinks: true)
        return (log?.size ?? 0) > 0
    }

    private static func createFolder(_ folder: FilePath) throws(JournalError) {
        do { try PrivateFile.createFolder(folder) } catch { throw error.fault.journalError(at: error.path) }
    }
}
