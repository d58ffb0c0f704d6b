import EngineBasics
import EngineStreaming
import EngineTranscripts
import EngineVoices

extension SessionStore {
    /// A session that is being recorded.
    struct Recording: Sendable {
        let id: SessionID
        let lock: LockFile?
        let isResumed: Bool
        /// Whether the process of the earlier run died.
        let isInterrupted: Bool
        /// Samples on the session clock.
        let clock: Int
        let nextID: Int
        let nextUtterance: Int
        /// The last characters of the text, up to 200.
        let context: String
        /// The highest speaker number in use; 0 if there is none.
        let speakerNumbers: Int
    }

    /// Starts a session, or resumes the one with that title.
    ///
    /// - Throws: `JournalError.sessionBusy` if it is already being recorded.
    func startRecording(_ title: String, from origin: SessionOrigin) throws(JournalError) -> Recording {
        guard (1...Self.maxNameBytes).contains(title.utf8.count) else { throw .badName(title) }
        while true {
            let existing = try mappingErrors { try newest(titled: title) }
            let id = existing ?? SessionID()
            let lock = try self.lock(id, name: title)
            var isInterrupted = false
            let hasStarted = try mappingErrors {
                try database.transaction {
                    // Another process may have started or deleted the session in the meantime.
                    guard try newest(titled: title) == existing else { return false }
                    guard existing != nil else {
                        try insert(id, title, origin)
                        return true
                    }
                    isInterrupted = try wasInterrupted(id)
                    try markOpen(id)
                    return true
                }
            }
            if hasStarted {
                return try recording(id, lock, isResumed: existing != nil, isInterrupted: isInterrupted)
            }
            lock?.release()
        }
    }

    /// Resumes a session whose process died.
    func resumeRecording(_ session: StoredSession) throws(JournalError) -> Recording {
        let lock = try self.lock(session.id, name: session.title)
        try mappingErrors { try database.transaction { try markOpen(session.id) } }
        return try recording(session.id, lock, isResumed: true, isInterrupted: true)
    }

    private func newest(titled title: String) throws(SQLiteError) -> SessionID? {
        try database.rows(
            "SELECT id FROM session WHERE title = ? ORDER BY created_utc DESC LIMIT 1", [.text(title)]
        ) { SessionID($0.text(0)) }.first
    }

    private func insert(_ id: SessionID, _ title: String, _ origin: SessionOrigin) throws(SQLiteError) {
        try database.run(
            """
            INSERT INTO session(id, created_utc, title, source, model, language, options, state)
            VALUES(?, ?, ?, ?, ?, ?, ?, 'open')
            """,
            [
                .text(id.description), .text(wallClock().description), .text(title), .text(origin.source),
                .text(origin.model), .text(origin.language), .text(origin.options),
            ])
    }

    /// Whether the last run of a session, whose lock is held here, did not end by itself.
    private func wasInterrupted(_ id: SessionID) throws(SQLiteError) -> Bool {
        try database.rows(
            "SELECT state IN ('open', 'recovered') FROM session WHERE id = ?", [.text(id.description)]
        ) { $0.integer(0) == 1 }.first ?? false
    }

    private func markOpen(_ id: SessionID) throws(SQLiteError) {
        try database.run(
            "UPDATE session SET state = 'open', closed_utc = NULL WHERE id = ?", [.text(id.description)])
    }

    /// Reads where a new run of the session starts.
    private func recording(
        _ id: SessionID, _ lock: LockFile?, isResumed: Bool, isInterrupted: Bool
    ) throws(JournalError) -> Recording {
        try mappingErrors {
            let rows = try database.rows(
                """
                SELECT next_sample, (SELECT COUNT(*) FROM segment WHERE session_id = session.id),
                  (SELECT COALESCE(MAX(end_sample), 0) FROM segment WHERE session_id = session.id),
                  (SELECT COALESCE(MAX(utterance) + 1, 0) FROM segment WHERE session_id = session.id)
                FROM session WHERE id = ?
                """, [.text(id.description)]
            ) { row in (0..<4).map { row.integer($0) } }
            guard let numbers = rows.first else { throw JournalError.notOpen(name: id.description) }
            guard numbers.allSatisfy({ $0.magnitude <= Self.maxNumber }) else { throw SQLiteError.corrupt }
            let savedSamples = savedAudio(of: id).flatMap { SavedAudio.sampleCount(of: $0) } ?? 0
            return Recording(
                id: id, lock: lock, isResumed: isResumed, isInterrupted: isInterrupted,
                clock: max(numbers[0], numbers[2], savedSamples), nextID: numbers[1],
                nextUtterance: numbers[3], context: try context(of: id), speakerNumbers: try speakerNumbers(of: id))
        }
    }

    private func context(of id: SessionID) throws(SQLiteError) -> String {
        let texts = try database.rows(
            "SELECT text FROM segment WHERE session_id = ? ORDER BY seq DESC LIMIT 200", [.text(id.description)]
        ) { $0.text(0) }
        return String(texts.reversed().joined().suffix(200))
    }

    private func speakerNumbers(of id: SessionID) throws(SQLiteError) -> Int {
        let numbers = try database.rows(
            "SELECT words FROM segment WHERE session_id = ? AND words LIKE '%\"speaker\":%'", [.text(id.description)]
        ) { row in
            StoredWords.decode(row.text(0))?.first?.speaker.flatMap(SpeakerNaming.number) ?? 0
        }
        return numbers.reduce(0) { $1 <= Self.maxNumber ? max($0, $1) : $0 }
    }

    // MARK: Writing

    /// Stores finals and the clock durably in one transaction.
    ///
    /// Finals that are already stored, by a call that failed after its commit, must be the same.
    func append(
        _ finals: [TranscriptSegment], to id: SessionID, nextID: Int, firstUtterance: Int, clock: Int
    ) throws(JournalError) {
        let rows = try finals.map { segment throws(JournalError) in try SegmentRow(segment) }
        for (index, row) in rows.enumerated() where row.id != rows[0].id + index {
            throw .outOfOrder(id: row.id, expected: rows[0].id + index)
        }
        if let first = rows.first, first.id > nextID { throw .outOfOrder(id: first.id, expected: nextID) }
        let end = rows.last?.end ?? 0
        try mappingErrors {
            try database.transaction {
                try advance(id, to: max(end, clock))
                for row in rows where row.id < nextID { try verifyStored(row, of: id) }
                for row in rows where row.id >= nextID {
                    do throws(SQLiteError) {
                        try insert(row, of: id, utterance: firstUtterance + row.utterance)
                    } catch {
                        guard case .refused(let reason) = error else { throw error }
                        // The lock excludes another writer of the session; its finals would cause the same error.
                        throw reason == "seq gap"
                            ? JournalError.outOfOrder(id: row.id, expected: nextID) : .badTime(id: row.id)
                    }
                }
            }
        }
    }

    private func insert(_ row: SegmentRow, of id: SessionID, utterance: Int) throws(SQLiteError) {
        try database.run(
            """
            INSERT INTO segment(session_id, seq, utterance, start_sample, end_sample, text, language, words, emitted_utc)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(id.description), .integer(row.id), .integer(utterance), .integer(row.start), .integer(row.end),
                .text(row.text), .text(row.language), .text(row.words), .text(wallClock().description),
            ])
    }

    private func verifyStored(_ row: SegmentRow, of id: SessionID) throws {
        let matches = try database.rows(
            """
            SELECT COUNT(*) FROM segment
            WHERE session_id = ? AND seq = ? AND start_sample = ? AND end_sample = ? AND text = ?
            """, [.text(id.description), .integer(row.id), .integer(row.start), .integer(row.end), .text(row.text)]
        ) { $0.integer(0) }
        if matches != [1] { throw JournalError.changed(id: row.id) }
    }

    /// Sets the session clock, which never goes back.
    private func advance(_ id: SessionID, to sample: Int) throws {
        let updated = try database.rows(
            "UPDATE session SET next_sample = MAX(next_sample, ?) WHERE id = ? RETURNING title",
            [.integer(sample), .text(id.description)]
        ) { $0.text(0) }
        if updated.isEmpty { throw JournalError.notOpen(name: id.description) }
    }

    func record(_ event: ClockEvent, at sample: Int, lostSamples: Int, in id: SessionID) throws(JournalError) {
        try mappingErrors {
            try database.transaction {
                try advance(id, to: sample)
                try database.run(
                    """
                    INSERT INTO clock_event(session_id, n, kind, sample, wall_utc, lost_samples)
                    SELECT ?1, COALESCE(MAX(n) + 1, 0), ?2, ?3, ?4, ?5 FROM clock_event WHERE session_id = ?1
                    """,
                    [
                        .text(id.description), .text(event.rawValue), .integer(sample),
                        .text(wallClock().description), .integer(lostSamples),
                    ])
            }
        }
    }

    /// Ends a session and moves the write-ahead log into the database.
    func close(_ id: SessionID, as state: StoredSession.State, clock: Int) throws(JournalError) {
        try mappingErrors {
            try database.transaction {
                try advance(id, to: clock)
                try database.run(
                    "UPDATE session SET state = ?, closed_utc = ? WHERE id = ?",
                    [.text(state.rawValue), .text(wallClock().description), .text(id.description)])
            }
            // Fails while there is a reader; a later call catches up.
            try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}
