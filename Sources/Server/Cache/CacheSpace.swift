import WhisperEngine

/// Keeps the files of a cache within a limit by removing the least recently used transcripts.
///
/// The space of removed transcripts is reused, so the file need not be compacted. Part of the limit is reserved for the
/// write-ahead log, which is moved into the file before it exceeds that part.
struct CacheSpace {
    /// Bytes; SQLite needs some to work with.
    static let minimumLimit = 4 << 20

    let path: FilePath
    private let limit: Int

    init(_ path: FilePath, limit: Int) {
        self.path = path
        self.limit = max(limit, Self.minimumLimit)
    }

    private static let pageBytes = 4096
    /// Usable bytes of a page that continues a long row.
    private static let overflowBytes = pageBytes - 4
    /// Pages that adding a row may split in the tables and indices, with room to spare.
    private static let rowPages = 16
    /// Transcripts cleared per transaction, to limit the growth of the log.
    static let batch = 8

    /// Bytes left for the log and its index.
    private var reserve: Int { min(limit / 4, 64 << 20) }
    private var maxPages: Int { (limit - reserve) / Self.pageBytes }
    /// Transcripts of this size or more are not stored.
    private var maxContentBytes: Int { reserve / 4 }

    /// Limits the file, and shrinks it if the limit is lower than when it was written.
    func apply(to database: SQLiteDatabase) throws {
        try database.execute("PRAGMA wal_autocheckpoint = \(reserve / 8 / Self.pageBytes)")
        try database.execute("PRAGMA journal_size_limit = \(reserve / 8)")
        if try number("page_count", database) > maxPages {
            _ = try makeRoom(for: 0, in: database)
            try compact(database)
        }
        try database.execute("PRAGMA max_page_count = \(maxPages)")
    }

    /// Whether a change may be written; false while another process keeps a long log from being emptied.
    func hasRoomInLog(_ database: SQLiteDatabase) throws -> Bool {
        if logBytes > reserve / 4 { try emptyLog(database) }
        return logBytes <= reserve / 4
    }

    /// Removes transcripts until one of this size fits.
    ///
    /// - Returns: false if it is too large, or if nothing can be written now.
    func makeRoom(for contentBytes: Int, in database: SQLiteDatabase) throws -> Bool {
        guard contentBytes < maxContentBytes else { return false }
        while try !fits(contentBytes, in: database) {
            guard try hasRoomInLog(database) else { return false }
            let removed = try database.transaction {
                try database.rows(
                    "DELETE FROM transcript WHERE id = (SELECT id FROM transcript ORDER BY turn LIMIT 1) RETURNING id"
                ) { $0.integer(0) }.count
            }
            if removed == 0 { return false }
        }
        return try hasRoomInLog(database)
    }

    /// Whether a transcript of this size can be stored without removing others.
    func fits(_ contentBytes: Int, in database: SQLiteDatabase) throws -> Bool {
        let overflow = contentBytes / Self.overflowBytes
        // The file has a page of back references for about every 800 others.
        let needed = overflow + overflow / 800 + Self.rowPages
        let used = try number("page_count", database) - number("freelist_count", database)
        return used + needed <= maxPages
    }

    /// Gives unused space back to the file system, and removes deleted text with it.
    func compact(_ database: SQLiteDatabase) throws {
        var free = try number("freelist_count", database)
        while free > 0 {
            try database.execute("PRAGMA incremental_vacuum(\(reserve / 8 / Self.pageBytes))")
            try emptyLog(database)
            let left = try number("freelist_count", database)
            if left >= free { return }
            free = left
        }
        try emptyLog(database)
    }

    /// Bytes of all files.
    func bytes(_ database: SQLiteDatabase) throws -> Int {
        path == DatabaseFile.inMemory
            ? try number("page_count", database) * Self.pageBytes : DatabaseFile.bytes(path)
    }

    // MARK: Steps

    private var logBytes: Int {
        (try? DiskAccess.status(of: path.adding("-wal"), followingLinks: true))?.size ?? 0
    }

    /// Moves the log into the file, unless another process is reading.
    private func emptyLog(_ database: SQLiteDatabase) throws {
        do throws(SQLiteError) {
            try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            guard error == .busy else { throw error }
        }
    }

    private func number(_ pragma: String, _ database: SQLiteDatabase) throws -> Int {
        try database.rows("PRAGMA \(pragma)") { $0.integer(0) }.first ?? 0
    }
}
