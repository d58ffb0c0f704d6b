extension SessionStore {
    private static let sessionColumns = """
        id, title, created_utc, closed_utc, source, model, language, state, next_sample,
        (SELECT COUNT(*) FROM segment WHERE session_id = session.id)
        """

    /// All sessions, the latest first.
    package func sessions() throws(JournalError) -> [StoredSession] {
        try told {
            try database.rows(
                "SELECT \(Self.sessionColumns) FROM session ORDER BY created_utc DESC, id", [], StoredSession.init)
        }
    }

    /// The sessions that a word may mean: the latest of that title, else the one with that id, else those whose ids
    /// begin so, at least four digits of them.
    package func sessions(named word: String) throws(JournalError) -> [StoredSession] {
        try told {
            let titled = try sessions(where: "title = ? ORDER BY created_utc DESC LIMIT 1", word)
            if !titled.isEmpty { return titled }
            let identified = try sessions(where: "id = ?", word)
            if !identified.isEmpty || word.utf8.count < 4 { return identified }
            return try sessions(where: "substr(id, 1, length(?1)) = ?1 ORDER BY id", word)
        }
    }

    private func sessions(where condition: String, _ value: String) throws(SQLiteError) -> [StoredSession] {
        try database.rows(
            "SELECT \(Self.sessionColumns) FROM session WHERE \(condition)", [.text(value)], StoredSession.init)
    }

    /// The finals of a session, in order.
    package func finals(of session: StoredSession) throws(JournalError) -> [TranscriptSegment] {
        try told {
            try database.rows(
                """
                SELECT seq, utterance, start_sample, end_sample, text, language, words FROM segment
                WHERE session_id = ? ORDER BY seq
                """, [.text(session.id.description)]
            ) { row in
                var segment = TranscriptSegment(
                    id: row.integer(0), seek: 0, start: SegmentRow.seconds(row.integer(2)),
                    end: SegmentRow.seconds(row.integer(3)), text: row.text(4), tokens: [], temperature: 0,
                    avgLogprob: 0, compressionRatio: 0, noSpeechProb: 0, words: WordList.words(in: row.text(6)))
                segment.utterance = row.integer(1)
                segment.language = row.optionalText(5)
                segment.session = session.id
                return segment
            }
        }
    }

    /// What happened to a session's clock, in order.
    package func clockEvents(of session: StoredSession) throws(JournalError) -> [StoredClockEvent] {
        try told {
            try database.rows(
                """
                SELECT kind, sample, wall_utc, lost_samples FROM clock_event WHERE session_id = ? ORDER BY n
                """, [.text(session.id.description)]
            ) { row in
                ClockEvent(rawValue: row.text(0)).map {
                    StoredClockEvent(
                        event: $0, sample: row.integer(1), wallTime: WallTime(row.text(2)), lostSamples: row.integer(3))
                }
            }.compactMap(\.self)
        }
    }

    /// SQLite's own check of the whole file, the search index, and all references; what it finds wrong.
    package func integrityErrors() throws(JournalError) -> [String] {
        try told {
            let found =
                try database.rows("PRAGMA integrity_check") { $0.text(0) }
                + database.rows("PRAGMA foreign_key_check") { "row without its session in \($0.text(0))" }
            if refusal == nil {
                do throws(SQLiteError) {
                    try database.run("INSERT INTO segment_fts(segment_fts, rank) VALUES('integrity-check', 1)")
                } catch {
                    guard error == .corrupt else { throw error }
                    return found.filter { $0 != "ok" } + ["search index differs from the text"]
                }
            }
            return found.filter { $0 != "ok" }
        }
    }
}

extension StoredSession {
    init(_ row: SQLiteDatabase.Row) {
        id = SessionID(row.text(0))
        title = row.optionalText(1) ?? row.text(0)
        created = row.text(2)
        closed = row.optionalText(3)
        source = row.text(4)
        model = row.text(5)
        language = row.optionalText(6)
        state = State(rawValue: row.text(7)) ?? .open
        nextSample = row.integer(8)
        finals = row.integer(9)
    }
}
