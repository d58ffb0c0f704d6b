import WhisperCommands
import WhisperEngine

/// The parts of a terminal that the program uses: wrapping, a history above the screen, the control sequences of the live
/// region, and rewrapping when the width changes.
struct TerminalEmulator {
    struct Cell: Equatable {
        var character: Character
        var isDim: Bool
        var columns: Int
    }

    private struct Row {
        private(set) var cells: [Cell] = []
        /// The occupied columns.
        private(set) var used = 0
        /// The line continues in the next row.
        var isWrapped = false

        mutating func append(_ cell: Cell) {
            cells.append(cell)
            used += cell.columns
        }
    }

    private(set) var columns: Int
    private(set) var rows: Int
    /// History and screen; the screen begins at `top`.
    private var all: [Row] = [Row()]
    private var top = 0
    private var row = 0
    private var column = 0
    private var isDim = false
    private(set) var showsCursor = true
    /// Whether lines return from the history when the window grows.
    var pullsBack = true
    /// Sequences that the emulator does not know.
    private(set) var unknown: [String] = []

    init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
    }

    // MARK: Contents

    /// The rows on the screen, without trailing blanks.
    var screen: [String] {
        let seen = all[top..<min(all.count, top + rows)].map { Self.trimmed(String($0.cells.map(\.character))) }
        return seen + Array(repeating: "", count: rows - seen.count)
    }

    /// The rows of history and screen, without trailing blanks.
    var allRows: [String] {
        var rows = all.map { Self.trimmed(String($0.cells.map(\.character))) }
        while rows.last == "" { rows.removeLast() }
        return rows
    }

    /// The lines of history and screen, with wrapped rows joined, made of the cells that satisfy `isIncluded`.
    func lines(where isIncluded: (Cell) -> Bool = { _ in true }) -> [String] {
        var lines: [String] = []
        var line = ""
        for row in all {
            line += String(row.cells.filter(isIncluded).map(\.character))
            if row.isWrapped { continue }
            lines.append(Self.trimmed(line))
            line = ""
        }
        if !line.isEmpty { lines.append(Self.trimmed(line)) }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    var hasDimCells: Bool { all.contains { $0.cells.contains(where: \.isDim) } }
    /// The cursor's row on the screen.
    var cursorRow: Int { row - top }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    // MARK: Input

    mutating func write(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        var plain = String.UnicodeScalarView()
        func flushed(_ terminal: inout TerminalEmulator) {
            for character in String(plain) { terminal.put(character) }
            plain = String.UnicodeScalarView()
        }
        while let scalar = rest.popFirst() {
            guard scalar.value < 0x20 || scalar.value == 0x7f else {
                plain.append(scalar)
                continue
            }
            flushed(&self)
            switch scalar {
            case "\r": column = 0
            case "\n": lineFeed()
            case "\u{1b}": control(&rest)
            default: unknown.append("U+\(String(scalar.value, radix: 16))")
            }
        }
        flushed(&self)
    }

    private mutating func control(_ rest: inout ArraySlice<Unicode.Scalar>) {
        guard rest.popFirst() == "[" else { return unknown.append("ESC") }
        var parameters = ""
        while let scalar = rest.popFirst() {
            guard (0x40...0x7e).contains(scalar.value) else {
                parameters.unicodeScalars.append(scalar)
                continue
            }
            switch (scalar, parameters) {
            case ("A", _): row = max(top, row - (Int(parameters) ?? 1))
            case ("K", ""):
                eraseRow()
                // As tmux does when all of a row is erased. (Erasing the screen from its top, it would also move it into
                // the history; the program does not erase several rows at once.)
                if column == 0, row > 0 { all[row - 1].isWrapped = false }
            case ("m", "2"): isDim = true
            case ("m", "22"): isDim = false
            case ("l", "?25"): showsCursor = false
            case ("h", "?25"): showsCursor = true
            case ("h", "?2026"), ("l", "?2026"): break
            default: unknown.append("CSI \(parameters)\(scalar)")
            }
            return
        }
    }

    private mutating func eraseRow() {
        var kept = Row()
        for cell in all[row].cells where kept.used + cell.columns <= column { kept.append(cell) }
        all[row] = kept
    }

    private mutating func lineFeed() {
        row += 1
        if row == all.count { all.append(Row()) }
        if row >= top + rows { top = row - rows + 1 }
    }

    private mutating func put(_ character: Character) {
        let width = min(DisplayWidth.columns(of: character), columns)
        let cell = Cell(character: character, isDim: isDim, columns: width)
        if width > 0, column + width > columns {
            all[row].isWrapped = true
            lineFeed()
            column = 0
        }
        let (old, isWrapped) = (all[row].cells, all[row].isWrapped)
        if width > 0 { eraseRow() }
        all[row].isWrapped = isWrapped
        all[row].append(cell)
        column += width
        guard width > 0 else { return }
        // What was there after the overwritten columns stays.
        var position = 0
        for cell in old {
            if position >= column, cell.columns > 0 { all[row].append(cell) }
            position += cell.columns
        }
    }

    // MARK: Resizing

    mutating func resize(columns newColumns: Int, rows newRows: Int) {
        // Blank rows below the cursor are the first to go.
        while all.count > row + 1, all[all.count - 1].cells.isEmpty { all.removeLast() }
        var rebuilt: [Row] = []
        var cursor = 0
        var hasCursor = false
        let topBefore = top
        var newTop = 0
        var index = 0
        while index < all.count {
            let first = index
            while index + 1 < all.count, all[index].isWrapped { index += 1 }
            let cells = all[first...index].flatMap(\.cells)
            let start = rebuilt.count
            rebuilt.append(Row())
            if first <= topBefore { newTop = start }
            for cell in cells {
                let columns = min(cell.columns, newColumns)
                if columns > 0, rebuilt[rebuilt.count - 1].used + columns > newColumns {
                    rebuilt[rebuilt.count - 1].isWrapped = true
                    rebuilt.append(Row())
                }
                rebuilt[rebuilt.count - 1].append(cell)
            }
            // The cursor is after the last cell of its line.
            if (first...index).contains(row) {
                cursor = rebuilt.count - 1
                hasCursor = true
            }
            index += 1
        }
        precondition(hasCursor, "the cursor is on a row")
        all = rebuilt
        row = cursor
        column = all[row].used
        (columns, rows) = (newColumns, newRows)
        let minimum = max(0, row - newRows + 1)
        top = pullsBack ? max(0, min(all.count - newRows, row)) : max(minimum, min(newTop, row))
        top = max(top, minimum)
    }
}
