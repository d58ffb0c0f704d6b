/// Columns and rows of a terminal.
package struct TerminalSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    /// At least one column and two rows: below the live region one row stays free.
    package init(columns: Int, rows: Int) {
        self.columns = max(1, columns)
        self.rows = max(2, rows)
    }

    /// Of a terminal that does not tell.
    package static let unknown = TerminalSize(columns: 80, rows: 24)
}
