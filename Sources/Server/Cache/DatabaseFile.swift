import WhisperEngine

/// Opens the databases of the server.
enum DatabaseFile {
    /// A database that disappears with its connection.
    static let inMemory = FilePath(":memory:")

    /// Opens a database and creates it if necessary: the file with mode 0600, its folders with mode 0700.
    ///
    /// Several processes may use the file at the same time, each with its own connections.
    ///
    /// - Parameter migrations: each changes the tables from the version equal to its index to the next version.
    static func open(_ path: FilePath, migrations: [String]) throws(StoreError) -> SQLiteDatabase {
        do {
            if path != inMemory, try !exists(path) { try PrivateFile.create(path) }
            return try SQLiteDatabase.open(path, access: .write) { try prepare($0, path, migrations) }
        } catch {
            throw StoreError(error, at: path)
        }
    }

    /// Whether there is a file; links are followed.
    static func exists(_ path: FilePath) throws(StoreError) -> Bool {
        let kind: DiskAccess.Status.Kind?
        do { kind = try DiskAccess.kind(of: path) } catch { throw StoreError(error, at: path) }
        guard kind == nil || kind == .file else { throw .notAFile(path) }
        return kind != nil
    }

    /// The size of the database with its log and its index of the log, in bytes.
    static func bytes(_ path: FilePath) -> Int {
        ["", "-wal", "-shm"].reduce(0) { sum, suffix in
            sum + ((try? DiskAccess.status(of: path.adding(suffix), followingLinks: true))?.size ?? 0)
        }
    }

    private static func prepare(_ database: SQLiteDatabase, _ path: FilePath, _ migrations: [String]) throws {
        // Deleted text is overwritten where that costs no additional writing; the other settings must precede the first
        // table, or be set anew for each connection. A log with NORMAL can lose the last commits when the power fails,
        // but not the file.
        try database.execute(
            """
            PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = FAST; PRAGMA auto_vacuum = INCREMENTAL;
            """)
        // The definitions come first: another process may commit its first migration between the two reads.
        let isNew = try definitions(in: database).isEmpty
        var version = try database.version
        // A foreign database must not be changed, not even its journal mode.
        if !isNew { try check(database, path, version, migrations) }
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
        if version < migrations.count { version = try database.migrate(migrations) }
        try check(database, path, version, migrations)
    }

    private static func check(
        _ database: SQLiteDatabase, _ path: FilePath, _ version: Int, _ migrations: [String]
    ) throws {
        guard version <= migrations.count else {
            throw StoreError.newer(path, version: version, known: migrations.count)
        }
        let definitions = try definitions(in: database)
        // A trigger that we did not define would run as part of our statements.
        let isOurs = definitions.allSatisfy { sql in migrations.contains { $0.contains(sql) } }
        guard isOurs, version > 0 || definitions.isEmpty else { throw StoreError.damaged(path) }
    }

    /// The statements that define the tables, indices and triggers; SQLite's own indices have none.
    private static func definitions(in database: SQLiteDatabase) throws(SQLiteError) -> [String] {
        try database.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL") { $0.text(0) }
    }
}
