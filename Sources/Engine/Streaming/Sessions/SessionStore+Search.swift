extension SessionStore {
    /// Finals with these words, the best first.
    ///
    /// - Returns: `nil` for a query that FTS5 does not understand (`.raw`).
    package func search(
        _ text: String, _ syntax: SearchSyntax, limit: Int = 20
    ) throws(JournalError) -> [SearchHit]? {
        // FTS5 knows no query of no words.
        guard text.contains(where: { !$0.isWhitespace }) else { return [] }
        return try told {
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

    /// Each word between blanks as a string of FTS5, in which nothing but the quote itself means anything.
    static func quoted(_ text: String) -> String {
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
