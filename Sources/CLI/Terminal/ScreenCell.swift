import WhisperEngine

/// A character on a terminal, with the columns that it occupies.
struct ScreenCell: Equatable, Sendable {
    let character: Character
    /// 0 for characters that combine with the previous one, 2 for wide ones.
    let columns: Int
    /// In the 256-color palette; `nil` is the terminal's own.
    var color: Int?

    /// The cells of a text that is made safe for the terminal; control characters become `?`.
    static func cells(of text: some StringProtocol, color: Int? = nil) -> [ScreenCell] {
        TerminalText.safe(text, replacement: "?").map {
            ScreenCell(character: $0, columns: DisplayWidth.columns(of: $0), color: color)
        }
    }

    /// The cell itself, or `?` if even an empty row of the terminal is too narrow for it.
    func fitting(_ width: Int) -> ScreenCell {
        columns <= width ? self : ScreenCell(character: "?", columns: 1, color: color)
    }
}

/// The rows that cells fill on a terminal, which wraps only before a character that no longer fits.
struct ScreenRows {
    /// The index of each row's first cell. Even without cells there is one row.
    let starts: [Int]

    init(_ columns: some Sequence<Int>, width: Int) {
        var starts = [0]
        var used = 0
        for (index, columns) in columns.enumerated() where columns > 0 {
            if used + columns > width, used > 0 {
                starts.append(index)
                used = 0
            }
            used += columns
        }
        self.starts = starts
    }

    var count: Int { starts.count }

    /// The row that contains a cell, or the last row.
    func row(of cell: Int) -> Int { (starts.lastIndex { $0 <= cell }) ?? 0 }
}
