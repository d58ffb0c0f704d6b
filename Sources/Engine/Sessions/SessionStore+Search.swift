import EngineAudio
import EngineBasics

/// How a search text is interpreted.
package enum SearchSyntax: Sendable, Hashable {
    /// All the words in any order, ignoring case and accents.
    case words
    /// An FTS5 query.
    case raw
    /// The exact text anywhere, for languages without spaces.
    case substring
}

/// An utterance that matches a search.
package struct SearchHit: Sendable, Hashable {
    package let title: String
    /// Seconds on the session clock.
    package let start: Double
    /// The text around the match, with the matching words in brackets.
    package let excerpt: String

    fileprivate init(_ row: SQLiteDatabase.Row) {
        title = row.optionalText(1) ?? row.text(0)
        start = AudioChunk.seconds(of: row.integer(2))
        excerpt = row.text(3)
    }
}

extension SessionStore {
    /// Returns the utterances that match, best match first. Their words may lie in several finals.
    ///
    /// - Returns: `nil` for an invalid FTS5 query (`.raw`).
    package func search(
        _ text: String, _ syntax: SearchSyntax, limit: Int = 20
    ) throws(JournalError) -> [SearchHit]? {
        // FTS5 rejects an empty query.
        guard text.contains(where: { !$0.isWhitespace }) else { return [] }
        return try mappingErrors {
            do throws(SQLiteError) {
                return switch syntax {
                case .words: try hits(ofWords: text, limit: limit)
                case .raw: try hits(matching: text, in: Self.passages(hit: "FALSE"), limit: limit)
                case .substring: try hits(containing: text, limit: limit)
                }
            } catch {
                guard case .failed = error, syntax == .raw else { throw error }
                return nil
            }
        }
    }

    /// Finals as one row per utterance. Speech without pauses is one utterance for hours, so a long one is split.
    ///
    /// - Parameters:
    ///   - condition: selects finals by their session and utterance.
    ///   - hit: whether a final contains part of the search text; the first one's time is that of the row.
    private static func passages(where condition: String = "TRUE", hit: String) -> String {
        """
        SELECT MIN(rowid) AS first, group_concat(text, '') AS text, session_id,
          COALESCE(MIN(iif(is_hit, start_sample, NULL)), MIN(start_sample)) AS start_sample
        FROM (
          SELECT rowid, session_id, utterance, text, start_sample, \(hit) AS is_hit,
            (seq - MIN(seq) OVER (PARTITION BY session_id, utterance)) / \(maximumFinals) AS part
          FROM segment WHERE \(condition) ORDER BY session_id, seq)
        GROUP BY session_id, utterance, part
        """
    }

    /// Maximum number of finals that are searched together: about two minutes of speech.
    private static let maximumFinals = 100

    private func hits(ofWords text: String, limit: Int) throws(SQLiteError) -> [SearchHit] {
        // As FTS5 strings, in which only the quote is special.
        let words = text.split(whereSeparator: \.isWhitespace).map { word in
            "\"" + word.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        }
        // The stored index knows single finals: an utterance with all the words has a final with one of them.
        let anyWord = "SELECT rowid FROM segment_fts WHERE segment_fts MATCH ?1"
        let passages = Self.passages(
            where: """
                (session_id, utterance) IN (SELECT session_id, utterance FROM segment WHERE rowid IN (\(anyWord)))
                """, hit: "rowid IN (\(anyWord))")
        return try hits(
            matching: words.joined(separator: " "), in: passages, [.text(words.joined(separator: " OR "))],
            limit: limit)
    }

    /// Indexes passages for the time of the query.
    private func hits(
        matching query: String, in passages: String, _ values: [SQLiteDatabase.Value] = [], limit: Int
    ) throws(SQLiteError) -> [SearchHit] {
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.found;
            CREATE VIRTUAL TABLE temp.found USING fts5(
              text, session_id UNINDEXED, start_sample UNINDEXED, tokenize='unicode61 remove_diacritics 2');
            """)
        defer { try? database.execute("DROP TABLE IF EXISTS temp.found") }
        try database.run("INSERT INTO temp.found(rowid, text, session_id, start_sample) \(passages)", values)
        return try database.rows(
            """
            SELECT session.id, session.title, found.start_sample, snippet(found, 0, '[', ']', '…', 8)
            FROM temp.found JOIN session ON session.id = found.session_id
            WHERE found MATCH ? ORDER BY bm25(found), found.rowid LIMIT ?
            """, [.text(query), .integer(limit)], SearchHit.init)
    }

    private func hits(containing text: String, limit: Int) throws(SQLiteError) -> [SearchHit] {
        let special: Set<Character> = ["%", "_", "\\"]
        let escaped = text.reduce(into: "") { pattern, character in
            if special.contains(character) { pattern.append("\\") }
            pattern.append(character)
        }
        return try database.rows(
            """
            SELECT session.id, session.title, found.start_sample, found.text
            FROM (\(Self.passages(hit: "text LIKE ?1 ESCAPE '\\'"))) AS found
            JOIN session ON session.id = found.session_id
            WHERE found.text LIKE ?1 ESCAPE '\\' ORDER BY found.first LIMIT ?2
            """, [.text("%\(escaped)%"), .integer(limit)], SearchHit.init)
    }
}
