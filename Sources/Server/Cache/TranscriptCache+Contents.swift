package import WhisperEngine

extension TranscriptCache {
    /// A stored transcript without its text.
    package struct Entry: Hashable, Sendable {
        package let model: String
        package let language: String
        /// Seconds of audio.
        package let duration: Double
        /// Seconds that the recognition took.
        package let seconds: Double
        package let created: WallTime
        package let used: WallTime
        /// Number of times it was made or found.
        package let accesses: Int
        /// Size of the stored text.
        package let bytes: Int
        /// The names of videos with this transcript, such as `youtube:dQw4w9WgXcQ`.
        package let videos: [String]

        /// Seconds of recognition saved by cache hits.
        package var savedSeconds: Double { seconds * Double(max(0, accesses - 1)) }
    }

    package struct Statistics: Hashable, Sendable {
        package var entries = 0
        /// Size of the files.
        package var bytes = 0
        /// Transcripts found since the cache was created; those removed since then count too.
        package var hits = 0
        /// Seconds of recognition that these hits saved.
        package var savedSeconds = 0.0

        package init() {}
    }

    /// All transcripts, last used first.
    package func entries() throws(StoreError) -> [Entry] {
        guard let database else { return [] }
        return try mappingErrors {
            var videos: [Int: [String]] = [:]
            // The other aliases are digests.
            _ = try database.rows("SELECT transcript, name FROM alias WHERE name NOT GLOB 'sha256:*' ORDER BY name") {
                videos[$0.integer(0), default: []].append($0.text(1))
            }
            return try database.rows(
                """
                SELECT id, model, language, duration_ms, recognition_ms, created_ms, used_ms, accesses, bytes
                FROM transcript ORDER BY turn DESC
                """
            ) { row in
                Entry(
                    model: row.text(1), language: row.text(2), duration: Double(row.integer(3)) / 1000,
                    seconds: Double(row.integer(4)) / 1000, created: WallTime(milliseconds: row.integer(5)),
                    used: WallTime(milliseconds: row.integer(6)), accesses: row.integer(7), bytes: row.integer(8),
                    videos: videos[row.integer(0)] ?? [])
            }
        }
    }

    package func statistics() throws(StoreError) -> Statistics {
        guard let database else { return Statistics() }
        return try mappingErrors {
            var statistics = Statistics()
            statistics.entries = try database.rows("SELECT COUNT(*) FROM transcript") { $0.integer(0) }.first ?? 0
            statistics.bytes = try space.bytes(database)
            let totals = try database.rows("SELECT hits, saved_ms FROM total") { ($0.integer(0), $0.integer(1)) }
            for (hits, milliseconds) in totals {
                statistics.hits += hits
                statistics.savedSeconds += Double(milliseconds) / 1000
            }
            return statistics
        }
    }

    /// Removes transcripts, and gives their space back to the file system.
    ///
    /// - Parameter days: transcripts used within this many days are kept; `nil` removes all.
    /// - Returns: the number of removed transcripts.
    @discardableResult
    package func clear(unusedFor days: Int? = nil) throws(StoreError) -> Int {
        guard let database else { return 0 }
        let latest = days.map { wallClock().milliseconds - $0 * 86_400_000 } ?? .max
        return try mappingErrors {
            var removed = 0
            while true {
                guard try space.hasRoomInLog(database) else { throw SQLiteError.busy }
                let count = try database.transaction {
                    try database.rows(
                        """
                        DELETE FROM transcript WHERE id IN
                          (SELECT id FROM transcript WHERE used_ms <= ? ORDER BY turn LIMIT ?) RETURNING id
                        """, [.integer(latest), .integer(CacheSpace.batch)]
                    ) { $0.integer(0) }.count
                }
                removed += count
                if count == 0 { break }
            }
            try space.compact(database)
            return removed
        }
    }

    private func mappingErrors<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do { return try body() } catch { throw StoreError(error, at: space.path) }
    }
}
