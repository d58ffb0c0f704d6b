extension SessionStore {
    /// Deletes a session with its finals, its saved sound and what the search index knows of it.
    ///
    /// - Throws: `JournalError.sessionBusy` while it is being recorded.
    package func delete(_ session: StoredSession) throws(JournalError) {
        if let refusal { throw refusal }
        let lock = try lock(session.id, name: session.title)
        defer { lock?.release() }
        try told {
            try database.transaction {
                try database.run("DELETE FROM session WHERE id = ?", [.text(session.id.description)])
            }
        }
        if let sound = savedAudio(of: session.id) { try? DiskAccess.remove(file: sound) }
    }

    /// Gives the space of deleted sessions back and leaves nothing of their words in the file.
    package func vacuum() throws(JournalError) {
        if let refusal { throw refusal }
        try told {
            try database.run("INSERT INTO segment_fts(segment_fts) VALUES('optimize')")
            try database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
        }
    }
}
