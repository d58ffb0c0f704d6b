import WhisperEngine

/// A table of text with aligned columns, two spaces apart.
struct TextTable {
    let header: [String]
    /// Each row has as many cells as the header.
    var rows: [[String]] = []
    /// The indices of columns with numbers.
    var rightAligned: Set<Int> = []
    /// The widths that columns do not exceed; longer cells push the rest of their line to the right.
    var maximumWidths: [Int: Int] = [:]

    var text: String {
        let widths = header.indices.map { column in
            let width = ([header] + rows).map { DisplayWidth.columns(of: $0[column]) }.max() ?? 0
            return min(width, maximumWidths[column] ?? width)
        }
        return ([header] + rows).map { row in
            let cells = row.enumerated().map { column, text in
                let blanks = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(of: text)))
                return rightAligned.contains(column) ? blanks + text : text + blanks
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
