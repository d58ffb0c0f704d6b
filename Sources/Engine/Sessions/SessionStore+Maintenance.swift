import EngineBasics
import EngineTranscripts

extension SessionStore {
    /// Deletes a session with its finals, saved audio and search index entries.
    ///
    /// - Throws: `JournalError.sessionBusy` while the session is being recorded.
    package func delete(_ session: StoredSession) throws(JournalError) {
        if let writeFailure { throw writeFailure }
        let lock = try lock(session.id, name: session.title)
        defer { lock?.release() }
        try mappingErrors {
            try database.transaction {
                try database.run("DELETE FROM session WHERE id = ?", [.text(session.id.description)])
            }
        }
        if let audio = savedAudio(of: session.id) { try? DiskAccess.remove(file: audio) }
    }

    /// Shrinks the file and erases the text of deleted sessions from it.
    package func vacuum() throws(JournalError) {
        if let writeFailure { throw writeFailure }
        try mappingErrors {
            try database.run("INSERT INTO segment_fts(segment_fts) VALUES('optimize')")
            try database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
        }
    }

    /// Checks the file, the references and, if the store is writable, the search index.
    ///
    /// - Returns: a description of each problem.
    package func integrityErrors() throws(JournalError) -> [String] {
        try mappingErrors {
            let problems = try
                (database.rows("PRAGMA integrity_check") { $0.text(0) }
                + database.rows("PRAGMA foreign_key_check") { "row without its session in \($0.text(0))" })
                .filter { $0 != "ok" }
            if writeFailure != nil { return problems }
            do throws(SQLiteError) {
                try database.run("INSERT INTO segment_fts(segment_fts, rank) VALUES('integrity-check', 1)")
                return problems
            } catch {
                guard error == .corrupt else { throw error }
                return problems + ["search index differs from the text"]
            }
        }
    }

    /// Marks open sessions as recovered if their process died, which frees their lock.
    func markAbandonedSessions() {
        // A full disk must not keep the caller from reading; the next one to open the store tries again.
        guard let open = try? database.rows("SELECT id FROM session WHERE state = 'open'", [], { $0.text(0) })
        else { return }
        for id in open {
            guard let lock = try? lock(SessionID(id), name: "", waits: false) else { continue }
            try? database.run(
                """
                UPDATE session SET state = 'recovered', next_sample = MAX(next_sample, COALESCE(
                  (SELECT MAX(end_sample) FROM segment WHERE session_id = session.id), 0))
                WHERE id = ? AND state = 'open'
                """, [.text(id)])
            lock.release()
        }
    }
}
