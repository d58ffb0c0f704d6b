package import WhisperEngine

/// A cache of transcripts in an SQLite database.
///
/// A failing cache must not prevent a response: lookups then find nothing, storing does nothing, and the error is
/// reported. Several processes may use the same file. It contains no audio and nothing else from the requests.
package actor TranscriptCache {
    package enum Place: Hashable, Sendable {
        /// Nothing is cached.
        case off
        /// Kept until the program ends.
        case memory
        case file(FilePath)
    }

    /// Bytes on disk.
    package static let defaultLimit = 1 << 30

    private let executor = ComputeExecutor()
    /// `nil` if nothing is cached.
    let database: SQLiteDatabase?
    let space: CacheSpace
    let wallClock: @Sendable () -> WallTime
    private let onFailure: @Sendable (StoreError) -> Void

    /// Opens the cache and creates it if necessary, private to the user.
    ///
    /// - Parameters:
    ///   - limit: the maximum size of its files in bytes, at least 4 MiB; the least recently used
    ///     transcripts make room for others.
    ///   - onFailure: receives the errors of `lookup` and `store`.
    package init(
        _ place: Place, limit: Int = defaultLimit, wallClock: @escaping @Sendable () -> WallTime = { .now },
        onFailure: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) throws(StoreError) {
        let path: FilePath
        switch place {
        case .off, .memory: path = DatabaseFile.inMemory
        case .file(let file): path = file
        }
        let space = CacheSpace(path, limit: limit)
        var database: SQLiteDatabase?
        if place != .off {
            let open = try DatabaseFile.open(path, migrations: CacheSchema.migrations)
            do { try space.apply(to: open) } catch { throw StoreError(error, at: path) }
            database = open
        }
        self.database = database
        self.space = space
        self.wallClock = wallClock
        self.onFailure = onFailure
    }

    /// Opens a cache that exists; `nil` if there is no file.
    package static func open(
        existing path: FilePath, wallClock: @escaping @Sendable () -> WallTime = { .now }
    ) throws(StoreError) -> TranscriptCache? {
        // Without a limit, so that looking at a cache does not shrink it.
        try DatabaseFile.exists(path)
            ? TranscriptCache(.file(path), limit: unlimited, wallClock: wallClock) : nil
    }

    private static let unlimited = 1 << 43

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    // MARK: Looking up

    /// A transcript from the cache.
    package struct Hit: Sendable {
        package let transcript: Transcript
        package let model: String
        /// Number of times the transcript was made or found, including this one.
        package let accesses: Int
        /// Seconds that the recognition took.
        package let seconds: Double
    }

    /// The transcript of this audio, made by this model with these options.
    package func lookup(_ key: CacheKey) -> Hit? {
        quietly { try hit("WHERE key = ?", [.text(key.digest)]) } ?? nil
    }

    /// The transcript stored under another name.
    ///
    /// - Parameter model: the model that must have made it; `nil` for any.
    package func lookup(alias: String, model: ModelStamp? = nil) -> Hit? {
        let named = "JOIN alias ON alias.transcript = transcript.id WHERE alias.name = ?"
        return quietly {
            guard let model else { return try hit(named, [.text(alias)]) }
            return try hit(
                named + " AND model = ? AND model_files = ?", [.text(alias), .text(model.name), .text(model.files)])
        } ?? nil
    }

    private func hit(_ condition: String, _ values: [SQLiteDatabase.Value]) throws -> Hit? {
        guard let database else { return nil }
        let rows = try database.rows(
            """
            SELECT transcript.id, model, accesses, recognition_ms, text
            FROM transcript JOIN content ON content.transcript = transcript.id \(condition) ORDER BY turn DESC LIMIT 1
            """, values
        ) { row in
            (
                id: row.integer(0), model: row.text(1), accesses: row.integer(2), milliseconds: row.integer(3),
                text: row.text(4)
            )
        }
        guard let row = rows.first else { return nil }
        guard let transcript = TranscriptText.decode(row.text) else {
            // So that it can be stored again.
            try database.run("DELETE FROM transcript WHERE id = ?", [.integer(row.id)])
            throw StoreError.damaged(space.path)
        }
        let accesses = quietly { try countUse(of: row.id, saving: row.milliseconds) } ?? nil
        return Hit(
            transcript: transcript, model: row.model, accesses: accesses ?? row.accesses + 1,
            seconds: Double(row.milliseconds) / 1000)
    }

    /// - Returns: the number of accesses; `nil` if it cannot be written now or the transcript is gone.
    private func countUse(of id: Int, saving milliseconds: Int) throws -> Int? {
        guard let database, try space.hasRoomInLog(database) else { return nil }
        // Swift 6.2 takes a closure that uses the actor for one that may run at the same time.
        let now = wallClock().milliseconds
        return try database.transaction {
            let accesses = try database.rows(
                """
                UPDATE transcript SET accesses = accesses + 1, used_ms = ?,
                  turn = (SELECT MAX(turn) + 1 FROM transcript) WHERE id = ? RETURNING accesses
                """, [.integer(now), .integer(id)]
            ) { $0.integer(0) }.first
            guard let accesses else { return nil }
            try database.run("UPDATE total SET hits = hits + 1, saved_ms = saved_ms + ?", [.integer(milliseconds)])
            return accesses
        }
    }

    // MARK: Storing

    /// Stores a transcript, unless the key is already in use, and adds names for it.
    ///
    /// - Parameters:
    ///   - seconds: that the recognition took.
    ///   - aliases: other names to look it up by.
    package func store(_ transcript: Transcript, _ key: CacheKey, seconds: Double, aliases: [String] = []) {
        quietly {
            guard let database else { return }
            let text = TranscriptText.encode(transcript)
            let isNew = try id(of: key, database) == nil
            guard try isNew ? space.makeRoom(for: text.utf8.count, in: database) : space.hasRoomInLog(database)
            else { return }
            try database.transaction {
                guard let id = try id(of: key, database) ?? insert(transcript, text, key, seconds: seconds, database)
                else { return }
                for alias in aliases {
                    try database.run("INSERT OR IGNORE INTO alias VALUES(?, ?)", [.text(alias), .integer(id)])
                }
            }
        }
    }

    /// Adds another name for all transcripts with this name.
    package func addAlias(_ alias: String, for name: String) {
        quietly {
            guard let database, try space.hasRoomInLog(database) else { return }
            try database.run(
                "INSERT OR IGNORE INTO alias SELECT ?, transcript FROM alias WHERE name = ?",
                [.text(alias), .text(name)])
        }
    }

    private func id(of key: CacheKey, _ database: SQLiteDatabase) throws -> Int? {
        try database.rows("SELECT id FROM transcript WHERE key = ?", [.text(key.digest)]) { $0.integer(0) }.first
    }

    private func insert(
        _ transcript: Transcript, _ text: String, _ key: CacheKey, seconds: Double, _ database: SQLiteDatabase
    ) throws -> Int? {
        // Another process may have used the space that was freed.
        guard try space.fits(text.utf8.count, in: database) else { return nil }
        let now = wallClock().milliseconds
        let id = try database.rows(
            """
            INSERT INTO transcript(
              key, model, model_files, language, duration_ms, recognition_ms, created_ms, used_ms, turn, bytes)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, (SELECT COALESCE(MAX(turn), 0) + 1 FROM transcript), ?) RETURNING id
            """,
            [
                .text(key.digest), .text(key.model.name), .text(key.model.files), .text(transcript.language),
                .integer(Timestamp(seconds: transcript.duration).milliseconds),
                .integer(Timestamp(seconds: seconds).milliseconds), .integer(now), .integer(now),
                .integer(text.utf8.count),
            ]
        ) { $0.integer(0) }.first
        guard let id else { return nil }
        try database.run("INSERT INTO content VALUES(?, ?)", [.integer(id), .text(text)])
        return id
    }

    @discardableResult
    private func quietly<Value>(_ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            onFailure(StoreError(error, at: space.path))
            return nil
        }
    }
}
