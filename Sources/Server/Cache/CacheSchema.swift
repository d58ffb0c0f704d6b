/// The tables of the cache.
///
/// A transcript's text is in a separate table, because each use updates a row, and an update rewrites the whole row.
enum CacheSchema {
    static let migrations = [
        """
        CREATE TABLE transcript(
          id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, model TEXT NOT NULL, model_files TEXT NOT NULL,
          language TEXT NOT NULL, duration_ms INTEGER NOT NULL, recognition_ms INTEGER NOT NULL,
          created_ms INTEGER NOT NULL, used_ms INTEGER NOT NULL, turn INTEGER NOT NULL,
          accesses INTEGER NOT NULL DEFAULT 1, bytes INTEGER NOT NULL) STRICT;
        CREATE INDEX transcript_turn ON transcript(turn);
        CREATE TABLE content(
          transcript INTEGER PRIMARY KEY REFERENCES transcript(id) ON DELETE CASCADE, text TEXT NOT NULL) STRICT;
        CREATE TABLE alias(
          name TEXT NOT NULL, transcript INTEGER NOT NULL REFERENCES transcript(id) ON DELETE CASCADE,
          PRIMARY KEY(name, transcript)) STRICT, WITHOUT ROWID;
        CREATE INDEX alias_transcript ON alias(transcript);
        CREATE TABLE total(hits INTEGER NOT NULL, saved_ms INTEGER NOT NULL) STRICT;
        INSERT INTO total VALUES(0, 0);
        """
    ]
}
