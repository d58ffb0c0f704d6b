/// The tables of the store.
enum SessionSchema {
    /// Each migrates a store from the version equal to its index to the next version.
    static let migrations = [first]

    static var version: Int { migrations.count }

    /// A definition in a database.
    struct Entry: Hashable {
        let type: String
        let name: String
        /// `nil` for an index that SQLite creates for a constraint.
        let sql: String?
    }

    private static let tables = ["session", "segment", "clock_event", "segment_fts"]
    /// Tables that the search index creates.
    private static let indexTables = ["data", "idx", "docsize", "config"].map { "segment_fts_\($0)" }

    /// Returns whether a database defines all tables of the store and nothing else. A foreign trigger would run as part
    /// of our statements.
    static func accepts(_ entries: [Entry]) -> Bool {
        tables.allSatisfy { name in entries.contains { $0.type == "table" && $0.name == name } }
            && entries.allSatisfy { entry in
                guard let sql = entry.sql, !(entry.type == "table" && indexTables.contains(entry.name)) else {
                    return true
                }
                return migrations.contains { $0.contains(sql) }
            }
    }

    /// The triggers bind every writer: finals never change, ids have no gaps, time does not go back.
    private static let first = """
        CREATE TABLE session(
          id TEXT PRIMARY KEY, created_utc TEXT NOT NULL, title TEXT, source TEXT NOT NULL, model TEXT NOT NULL,
          language TEXT, options TEXT NOT NULL DEFAULT '{}',
          state TEXT NOT NULL CHECK(state IN ('open', 'closed', 'cancelled', 'recovered')),
          next_sample INTEGER NOT NULL DEFAULT 0, closed_utc TEXT) STRICT, WITHOUT ROWID;
        CREATE TABLE segment(
          rowid INTEGER PRIMARY KEY, session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
          seq INTEGER NOT NULL, utterance INTEGER NOT NULL DEFAULT 0, start_sample INTEGER NOT NULL,
          end_sample INTEGER NOT NULL, text TEXT NOT NULL, language TEXT, words TEXT NOT NULL DEFAULT '[]',
          emitted_utc TEXT NOT NULL, UNIQUE(session_id, seq),
          CHECK(seq >= 0 AND start_sample >= 0 AND end_sample >= start_sample)) STRICT;
        CREATE TABLE clock_event(
          session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE, n INTEGER NOT NULL,
          kind TEXT NOT NULL
            CHECK(kind IN ('start', 'pause', 'resume', 'gap', 'device_lost', 'device_back', 'stop')),
          sample INTEGER NOT NULL, wall_utc TEXT NOT NULL, lost_samples INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY(session_id, n)) STRICT, WITHOUT ROWID;
        CREATE INDEX session_title ON session(title);
        CREATE TRIGGER segment_immutable BEFORE UPDATE ON segment BEGIN
          SELECT RAISE(ABORT, 'finals are immutable');
        END;
        CREATE TRIGGER segment_order BEFORE INSERT ON segment BEGIN
          SELECT RAISE(ABORT, 'seq gap') WHERE NEW.seq <>
            (SELECT COALESCE(MAX(seq) + 1, 0) FROM segment WHERE session_id = NEW.session_id);
          SELECT RAISE(ABORT, 'time goes back') WHERE NEW.start_sample < COALESCE(
            (SELECT end_sample FROM segment WHERE session_id = NEW.session_id ORDER BY seq DESC LIMIT 1), 0);
        END;
        CREATE VIRTUAL TABLE segment_fts USING fts5(
          text, content='segment', content_rowid='rowid', tokenize='unicode61 remove_diacritics 2');
        CREATE TRIGGER segment_ai AFTER INSERT ON segment BEGIN
          INSERT INTO segment_fts(rowid, text) VALUES(NEW.rowid, NEW.text);
        END;
        CREATE TRIGGER segment_ad AFTER DELETE ON segment BEGIN
          INSERT INTO segment_fts(segment_fts, rowid, text) VALUES('delete', OLD.rowid, OLD.text);
        END;
        """
}
