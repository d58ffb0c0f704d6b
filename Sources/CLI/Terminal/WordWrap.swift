/// Wraps a line at its words by filling rows with blanks. The terminal itself still wraps the rows, so that they remain
/// one line when it is copied or the window changes its width.
enum WordWrap {
    /// How many blanks to insert before each cell, if the first one starts a row.
    ///
    /// The blank after a word belongs to the word's row. A word that no row can hold, as in languages without spaces, is
    /// wrapped where the row ends; terminals differ in where they put a wide character for which one column is left.
    static func blanks(before cells: [ScreenCell], width: Int) -> [Int] {
        var blanks = Array(repeating: 0, count: cells.count)
        var column = 0
        var index = 0
        while index < cells.count {
            let end = cells[index...].firstIndex { $0.isBlank } ?? cells.count
            let length = cells[index..<end].reduce(0) { $0 + $1.columns }
            if length > 0, length < width, column > 0, column + length >= width {
                blanks[index] = width - column
                column = 0
            }
            for position in index..<min(end + 1, cells.count) {
                let columns = cells[position].columns
                if column + columns > width {
                    blanks[position] = width - column
                    column = 0
                }
                column += columns
            }
            index = end + 1
        }
        return blanks
    }
}

extension ScreenCell {
    static let blank = ScreenCell(character: " ", columns: 1)

    var isBlank: Bool { character == " " }
}
