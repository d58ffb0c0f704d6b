package import EngineBasics

/// Opening databases that several processes may create at the same time, and that later versions change.
extension SQLiteDatabase {
    /// Opens an existing file and prepares the connection.
    ///
    /// Tries up to five times: while another process creates the same database, SQLite may report it as busy without
    /// waiting.
    package static func open(
        _ path: FilePath, access: Access, prepare: (SQLiteDatabase) throws -> Void
    ) throws -> SQLiteDatabase {
        var attempts = 0
        while true {
            attempts += 1
            do {
                let database = try SQLiteDatabase(path, access: access)
                try prepare(database)
                return database
            } catch SQLiteError.busy where attempts < 5 {
                continue
            }
        }
    }

    /// The number of migrations that made the tables; 0 for a new database.
    package var version: Int {
        get throws(SQLiteError) { try rows("PRAGMA user_version") { $0.integer(0) }.first ?? 0 }
    }

    /// Runs the migrations that are still missing.
    ///
    /// - Parameter migrations: each changes the tables from the version equal to its index to the next version.
    /// - Returns: the version of the database, which may be that of a newer program.
    package func migrate(_ migrations: [String]) throws -> Int {
        try transaction {
            // Read it again, now that no other process can write.
            let version = try self.version
            guard version >= 0 else { throw SQLiteError.corrupt }
            guard version < migrations.count else { return version }
            // A database of another program.
            let tables = try rows("SELECT COUNT(*) FROM sqlite_schema") { $0.integer(0) }.first ?? 0
            if version == 0, tables > 0 { throw SQLiteError.corrupt }
            for migration in migrations[version...] { try execute(migration) }
            try execute("PRAGMA user_version = \(migrations.count)")
            return migrations.count
        }
    }
}
