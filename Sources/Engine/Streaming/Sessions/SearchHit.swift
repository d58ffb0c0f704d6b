/// A final that a search has found.
package struct SearchHit: Sendable, Hashable {
    package let session: SessionID
    package let title: String
    /// Seconds on the session's clock.
    package let start: Double
    /// The place of the words in the text, the words in brackets.
    package let excerpt: String
}

extension SearchHit {
    init(_ row: SQLiteDatabase.Row) {
        session = SessionID(row.text(0))
        title = row.optionalText(1) ?? row.text(0)
        start = SegmentRow.seconds(row.integer(2))
        excerpt = row.text(3)
    }
}
