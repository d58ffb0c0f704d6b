/// How a search text is interpreted.
package enum SearchSyntax: Sendable, Hashable {
    /// All the words in any order, ignoring case and accents.
    case words
    /// An FTS5 query.
    case raw
    /// The exact text anywhere, for languages without spaces.
    case substring
}

/// A final that matches a search.
package struct SearchHit: Sendable, Hashable {
    package let session: SessionID
    package let title: String
    /// Seconds on the session clock.
    package let start: Double
    /// The text around the match, with the matching words in brackets.
    package let excerpt: String

    fileprivate init(_ row: SQLiteDatabase.Row) {
        session = SessionID(row.text(0))
        title = row.optionalText(1) ?? row.text(0)
        start = SegmentRow.seconds(row.integer(2))
        excerpt = row.text(3)
    }
}

extension SessionStore {
    /// Returns the finals that match, best match first.
    ///
    /// - Returns: `nil` for an invalid FTS5 query (`.raw`).
    package func search(
        _ text: String, _ syntax: SearchSyntax, limit: Int = 20
    ) throws(JournalError) -> [SearchHit]? {
        // FTS5 rejects an empty query.
        guard text.contains(where: { !$0.isWhitespace }) else { return [] }
        return try mappingErrors {
            do throws(SQLiteError) {
                return syntax == .substring
                    ? try hits(containing: text, limit: limit)
                    : try hits(matching: syntax == .raw ? text : Self.quoted(text), limit: limit)
            } catch {
                guard case .failed = error, syntax == .raw else { throw error }
                return nil
            }
        }
    }

    /// Returns each word as an FTS5 string, in which only the quote is special.
    private static func quoted(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).map { word in
            "\"" + word.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        }.joined(separator: " ")
    }

    private func hits(matching query: String, limit: Int) throws(SQLiteError) -> [SearchHit] {
        try database.rows(
            """
            SELECT session.id, session.title, segment.start_sample, snippet(segment_fts, 0, '[', ']', '…', 8)
            FROM segment_fts JOIN segment ON segment.rowid = segment_fts.rowid
            JOIN session ON session.id = segment.session_id
            WHERE segment_fts MATCH ? ORDER BY bm25(segment_fts), segment.rowid LIMIT ?
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
            SELECT session.id, session.title, segment.start_sample, segment.text
            FROM segment JOIN session ON session.id = segment.session_id
            WHERE segment.text LIKE ? ESCAPE '\\' ORDER BY segment.rowid LIMIT ?
            """, [.text("%\(escaped)%"), .integer(limit)], SearchHit.init)
    }
}
