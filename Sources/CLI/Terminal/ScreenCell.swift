import WhisperEngine

/// A sign on a terminal, with the columns that it takes there.
struct ScreenCell: Equatable, Sendable {
    let character: Character
    /// 0 for what combines with the sign before it, 2 for wide ones.
    let columns: Int

    /// Control characters, which no model should write and no text may bring to the terminal, are `?`.
    static func cells(of text: some StringProtocol) -> [ScreenCell] {
        text.replacingControlCharacters(with: "?").map {
            ScreenCell(character: $0, columns: DisplayWidth.columns(of: $0))
        }
    }

    /// Itself, or `?` where the whole terminal is too narrow for it.
    func fitting(_ width: Int) -> ScreenCell {
        columns <= width ? self : ScreenCell(character: "?", columns: 1)
    }
}

/// The rows that cells fill on a terminal, which goes to the next row only for a sign that does not fit any more.
struct ScreenRows {
    /// Index of each row's first cell. No cells fill one row.
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

    /// The row that holds a cell, or the last one.
    func row(of cell: Int) -> Int { (starts.lastIndex { $0 <= cell }) ?? 0 }
}
