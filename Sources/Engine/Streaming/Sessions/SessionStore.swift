import Glibc

/// The database of live sessions and what lies beside it: locks and saved sound, in `sessions.d`.
///
/// One connection, used by one thread at a time.
package final class SessionStore {
    /// UTF-8 bytes of the longest session name.
    package static let longestName = 256

    package let path: FilePath
    let database: SQLiteDatabase
    let wallClock: @Sendable () -> WallTime
    /// Why it can be read and searched only, where that is so.
    let refusal: JournalError?

    /// Opens the store where there is one, and notes which sessions were left open by processes that died.
    ///
    /// - Returns: `nil` where there is none.
    package static func open(
        _ path: FilePath, wallClock: @escaping @Sendable () -> WallTime = { .now }
    ) throws(JournalError) -> SessionStore? {
        guard try exists(path) else { return nil }
        let refusal: JournalError
        do throws(JournalError) {
            return try SessionStore(path, access: .write, wallClock)
        } catch {
            guard error.isAboutWriting else { throw error }
            refusal = error
        }
        do throws(JournalError) {
            return try SessionStore(path, access: .read, refusal: refusal, wallClock)
        } catch {
            // In a folder that cannot be written nothing can be shared with writers; a log left by one may hold what
            // the file does not.
            guard error.isAboutWriting, !hasLog(path) else { throw error }
        }
        return try SessionStore(path, access: .frozen, refusal: refusal, wallClock)
    }

    /// The same for writing, created with its folders where there is none: the folder for its owner alone (0700), the
    /// file, too (0600). What exists keeps its mode.
    package static func create(
        _ path: FilePath, wallClock: @escaping @Sendable () -> WallTime = { .now }
    ) throws(JournalError) -> SessionStore {
        if try !exists(path) {
            try createFolder(path.folder)
            try createFile(path)
        }
        return try SessionStore(path, access: .write, wallClock)
    }

    private init(
        _ path: FilePath, access: SQLiteDatabase.Access, refusal: JournalError? = nil,
        _ wallClock: @escaping @Sendable () -> WallTime
    ) throws(JournalError) {
        self.path = path
        self.wallClock = wallClock
        self.refusal = refusal
        do {
            database = try Self.connection(to: path, access)
        } catch {
            throw Self.journalError(error, at: path)
        }
        if refusal == nil { recoverAbandoned() }
    }

    /// Other processes may be creating the same store: what they make us wait for is tried again.
    private static func connection(
        to path: FilePath, _ access: SQLiteDatabase.Access
    ) throws -> SQLiteDatabase {
        var attempts = 0
        while true {
            attempts += 1
            do {
                let database = try SQLiteDatabase(path, access: access)
                try prepare(database, access, path)
                return database
            } catch SQLiteError.busy where attempts < 5 {
                continue
            }
        }
    }

    private static func prepare(
        _ database: SQLiteDatabase, _ access: SQLiteDatabase.Access, _ path: FilePath
    ) throws {
        try database.execute(
            """
            PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;
            """)
        var version = try self.version(of: database)
        if access == .write {
            // Where the file system cannot share memory the mode stays what it was, and is as safe.
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
            if version < SessionSchema.version { version = try migrate(database, path) }
        }
        guard version <= SessionSchema.version else {
            throw JournalError.newer(path, version: version, known: SessionSchema.version)
        }
        let entries = try database.rows("SELECT type, name, sql FROM sqlite_schema") { row in
            SessionSchema.Entry(type: row.text(0), name: row.text(1), sql: row.optionalText(2))
        }
        guard SessionSchema.accepts(entries) else { throw SQLiteError.corrupt }
    }

    private static func version(of database: SQLiteDatabase) throws(SQLiteError) -> Int {
        try database.rows("PRAGMA user_version") { $0.integer(0) }.first ?? 0
    }

    private static func migrate(_ database: SQLiteDatabase, _ path: FilePath) throws -> Int {
        try database.transaction {
            // Again, now that nobody else can write.
            let version = try self.version(of: database)
            let known = SessionSchema.version
            guard version >= 0 else { throw SQLiteError.corrupt }
            guard version < known else { return version }
            // Tables of somebody else's.
            let tables = try database.rows("SELECT COUNT(*) FROM sqlite_schema") { $0.integer(0) }.first ?? 0
            if version == 0, tables > 0 { throw SQLiteError.corrupt }
            for migration in SessionSchema.migrations[version...] { try database.execute(migration) }
            try database.execute("PRAGMA user_version = \(known)")
            return known
        }
    }

    // MARK: Places

    /// Where locks and saved sound lie.
    var folder: FilePath { path.folder.appending("sessions.d") }

    /// `nil` for an id that this program did not make: it must not become part of a path.
    func place(of id: SessionID, ending: String) -> FilePath? {
        let text = id.description
        let isPlain = text.utf8.allSatisfy { ($0 >= 48 && $0 <= 57) || ($0 >= 97 && $0 <= 102) || $0 == 45 }
        guard isPlain, text.utf8.count == 36 else { return nil }
        return folder.appending(text + ending)
    }

    /// The session's sound, where it was saved (`live --save-audio`).
    package func savedAudio(of id: SessionID) -> FilePath? { place(of: id, ending: ".wav") }

    /// Keeps other processes from recording, recovering or deleting a session.
    ///
    /// - Parameter isPatient: waits a moment for a command that is only noting that the session's process died.
    /// - Throws: `JournalError.sessionBusy`.
    func lock(_ id: SessionID, name: String, isPatient: Bool = true) throws(JournalError) -> LockFile? {
        guard let file = place(of: id, ending: ".lock") else { return nil }
        try Self.createFolder(folder)
        var attempts = isPatient ? 10 : 1
        while true {
            attempts -= 1
            do {
                return try LockFile(file, mode: 0o600)
            } catch {
                switch error {
                case .held where attempts > 0: usleep(10_000)
                case .held(let process): throw .sessionBusy(name: name, process: process)
                case .failed(let fault): throw fault.journalError(at: file)
                }
            }
        }
    }

    // MARK: Recovery

    /// Notes that the processes of open sessions died: those whose lock can be had.
    private func recoverAbandoned() {
        // Whoever only wants to read is not kept from it by a full disk; the next command tries again.
        guard let open = try? database.rows("SELECT id FROM session WHERE state = 'open'", [], { $0.text(0) })
        else { return }
        for id in open {
            guard let lock = try? lock(SessionID(id), name: "", isPatient: false) else { continue }
            try? database.run(
                """
                UPDATE session SET state = 'recovered', next_sample = MAX(next_sample, COALESCE(
                  (SELECT MAX(end_sample) FROM segment WHERE session_id = session.id), 0))
                WHERE id = ? AND state = 'open'
                """, [.text(id)])
            lock.release()
        }
    }

    // MARK: Errors

    /// Does `body` with SQLite's errors told as ours.
    func told<Result>(_ body: () throws -> Result) throws(JournalError) -> Result {
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
        do {
            guard try DiskAccess.status(of: path, followingLinks: true).kind == .file else {
                throw JournalError.notAFile(path)
            }
            return true
        } catch let error as DiskAccess.Fault {
            if error == .missing || error == .notFolder { return false }
            throw error.journalError(at: path)
        } catch {
            throw .notAFile(path)
        }
    }

    private static func hasLog(_ path: FilePath) -> Bool {
        let log = try? DiskAccess.status(of: path.adding("-wal"), followingLinks: true)
        return (log?.size ?? 0) > 0
    }

    private static func createFolder(_ folder: FilePath) throws(JournalError) {
        var missing = [folder]
        var tried: Set<FilePath> = []
        while let next = missing.last {
            do throws(DiskAccess.Fault) {
                try DiskAccess.createFolder(next, mode: 0o700)
                missing.removeLast()
                try? DiskAccess.synchronize(folder: next.folder)
            } catch {
                if error == .exists {
                    missing.removeLast()
                } else if error == .missing, tried.insert(next).inserted, next.folder != next {
                    missing.append(next.folder)
                } else {
                    throw error.journalError(at: next)
                }
            }
        }
    }

    /// Before SQLite would, with another mode.
    private static func createFile(_ path: FilePath) throws(JournalError) {
        do throws(DiskAccess.Fault) {
            try DiskAccess.close(DiskAccess.create(path, mode: 0o600))
            try DiskAccess.synchronize(folder: path.folder)
        } catch {
            if error != .exists { throw error.journalError(at: path) }
        }
    }
}
