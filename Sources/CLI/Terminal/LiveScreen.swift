/// A live transcript on a terminal, as a value: final text that scrolls, one line per utterance, and below it a live
/// region that is redrawn in place. The region holds the last row of the unfinished line, the volatile text and a status
/// line.
///
/// Final text is written once and scrolls into the terminal's history; volatile text never leaves the region, which
/// leaves at least one row of the window free. The terminal itself wraps the rows, so that an utterance remains one line
/// when it is copied or the window changes its width.
///
/// This type only computes what to write; `LiveDisplay` decides when, and writes it.
package struct LiveScreen: Sendable {
    /// How volatile text differs from final text.
    package enum Style: Sendable {
        case dim, parentheses
    }

    private struct Line {
        let utterance: Int
        var finals: [ScreenCell] = []
    }

    /// A cell on the screen, with its index among its line's final cells if it is one.
    private struct Shown {
        let cell: ScreenCell
        let final: Int?
    }

    package let style: Style
    /// Marks each redraw as one change, for a terminal that supports synchronized output.
    package var synchronizes = false

    /// Lines that are not written completely yet; all but the last one are complete.
    private var lines: [Line] = []
    private var volatile: [ScreenCell] = []
    private var status: [ScreenCell] = []

    // What is on the screen.
    private var size: TerminalSize
    /// Cells of the first line above the live region.
    private var above: [Shown] = []
    /// The number of final cells in `above`.
    private var settled = 0
    /// Cells of the live region's text, which starts at the beginning of a row.
    private var drawn: [Shown] = []
    /// The width of the status line; `nil` if there is none.
    private var drawnStatus: Int?
    private var isDrawn = false
    private var isStale = false

    package init(size: TerminalSize, style: Style) {
        self.size = size
        self.style = style
    }

    // MARK: Contents

    /// Appends final text.
    ///
    /// - Parameter lead: precedes the text if it starts a line.
    package mutating func append(_ text: String, utterance: Int, lead: String = "") {
        if lines.last?.utterance != utterance { lines.append(Line(utterance: utterance)) }
        let isFirst = lines[lines.count - 1].finals.isEmpty
        let text = isFirst ? lead + text.drop { $0.isWhitespace } : text
        lines[lines.count - 1].finals += ScreenCell.cells(of: text)
        volatile = []
        isStale = true
    }

    /// Replaces the volatile text; `nil` removes it.
    package mutating func show(volatile text: String?, utterance: Int = 0, lead: String = "") {
        isStale = true
        guard let text, !text.allSatisfy(\.isWhitespace) else { return volatile = [] }
        if lines.last?.utterance != utterance { lines.append(Line(utterance: utterance)) }
        let space = text.prefix { $0.isWhitespace }
        let words = text.dropFirst(space.count)
        let isFirst = lines[lines.count - 1].finals.isEmpty
        let before = isFirst ? lead : String(space)
        volatile = ScreenCell.cells(of: style == .dim ? before + words : "\(before)(\(words))")
    }

    /// Replaces the status line; an empty one removes it.
    package mutating func show(status text: String) {
        let cells = ScreenCell.cells(of: text)
        if cells != status { (status, isStale) = (cells, true) }
    }

    // MARK: Drawing

    /// Updates the terminal.
    ///
    /// - Parameter size: the terminal's current size.
    /// - Returns: what to write in one call; empty if nothing changed.
    package mutating func redraw(size: TerminalSize) -> String {
        guard isStale || size != self.size else { return "" }
        var output = cleared(size)
        output += completeLines()
        output += drawRegion()
        isStale = false
        return marked(output)
    }

    /// Erases the live region, with all final text written and the cursor at the start of a row: for a message, before
    /// the program is suspended, or at the end. The next `redraw` continues below.
    package mutating func leave(size: TerminalSize) -> String {
        var output = cleared(size)
        let utterance = lines.last?.utterance
        lines.append(Line(utterance: 0))
        output += completeLines()
        lines = utterance.map { [Line(utterance: $0)] } ?? []
        isStale = true
        return output.isEmpty ? "" : marked(output)
    }

    private func marked(_ output: String) -> String {
        let drawing = "\u{1b}[?25l" + output + "\u{1b}[?25h"
        return synchronizes ? "\u{1b}[?2026h" + drawing + "\u{1b}[?2026l" : drawing
    }

    /// Clears the screen from the live region's first row.
    private mutating func cleared(_ newSize: TerminalSize) -> String {
        let rows = newSize == size ? rowsDrawn : refit(newSize)
        size = newSize
        defer { (drawn, drawnStatus, isDrawn) = ([], nil, false) }
        guard isDrawn else { return "" }
        return (rows > 1 ? "\u{1b}[\(rows - 1)A" : "") + "\r\u{1b}[J"
    }

    private var rowsDrawn: Int {
        let text = drawn.isEmpty ? 0 : ScreenRows(drawn.map(\.cell.columns), width: size.columns).count
        return text + (drawnStatus == nil ? 0 : 1)
    }

    /// Computes where a terminal with a new size has moved the live region.
    ///
    /// - Returns: the number of rows from the region's first reachable row to the cursor.
    private mutating func refit(_ newSize: TerminalSize) -> Int {
        guard isDrawn else { return 0 }
        let line = above + drawn
        let rows = ScreenRows(line.map(\.cell.columns), width: newSize.columns)
        let textRows = line.isEmpty ? 0 : rows.count
        let statusRows = drawnStatus.map { max(1, ($0 + newSize.columns - 1) / newSize.columns) } ?? 0
        let all = textRows + statusRows
        let reachable = min(all - min(rows.row(of: above.count), textRows), newSize.rows)
        let top = all - reachable
        let start = top < textRows ? rows.starts[top] : line.count
        if start < above.count {
            settled = line[start...].first { $0.final != nil }?.final ?? settled
        } else {
            // Rows pushed into the terminal's history can no longer be changed.
            for shown in line[above.count..<start] where shown.final == settled { settled += 1 }
        }
        if top < textRows {
            above = Array(line[..<start])
        } else {
            // The first rows of the status line are out of reach, too, and the rest continues its line.
            let filler = Shown(cell: ScreenCell(character: "?", columns: 1), final: nil)
            above = Array(repeating: filler, count: (top - textRows) * newSize.columns)
        }
        return reachable
    }

    /// The unwritten rest of all lines but the last.
    private mutating func completeLines() -> String {
        var output = ""
        while lines.count > 1 {
            let line = lines.removeFirst()
            output += String(line.finals[settled...].map { $0.fitting(size.columns).character })
            if !line.finals.isEmpty || !above.isEmpty { output += "\r\n" }
            (above, settled) = ([], 0)
        }
        return output
    }

    private mutating func drawRegion() -> String {
        let width = size.columns
        let rest = (lines.first?.finals[settled...] ?? []).enumerated().map { index, cell in
            Shown(cell: cell.fitting(width), final: settled + index)
        }
        var output = ""
        // Rows full of final text leave the region and scroll.
        let full = ScreenRows(rest.map(\.cell.columns), width: width).starts.last ?? 0
        var region = Array(rest[full...])
        region += volatile.map { Shown(cell: $0.fitting(width), final: nil) }
        if region.isEmpty, !above.isEmpty {
            // The window became so small that it pushed the whole text out.
            (above, output) = ([], "\r\n")
        }
        let showsStatus = !status.isEmpty && width > 1 && (region.isEmpty || size.rows > 2)
        let room = max(1, size.rows - 1 - (showsStatus ? 1 : 0))
        let tail = Self.tail(of: region, width: width, rows: room)
        output += text(rest[..<full])
        if tail.count < region.count, full > 0 {
            // The terminal moves to the next row for the character that belongs there.
            output += text(rest[full...full]) + "\r\u{1b}[K"
        }
        output += styled(tail)
        above += rest[..<full]
        (settled, drawn) = (settled + full, tail)
        if showsStatus {
            // The last column stays free: some terminals wrap the line there.
            let line = DisplayWidth.head(of: String(status.map(\.character)), columns: width - 1)
            output += (tail.isEmpty ? "" : "\r\n") + (style == .dim ? "\u{1b}[2m\(line)\u{1b}[22m" : line)
            drawnStatus = DisplayWidth.columns(of: line)
        }
        isDrawn = !tail.isEmpty || showsStatus
        return output
    }

    /// The last rows of a region, after `…` if something is omitted.
    private static func tail(of region: [Shown], width: Int, rows: Int) -> [Shown] {
        let all = ScreenRows(region.map(\.cell.columns), width: width)
        guard all.count > rows else { return region }
        let mark = Shown(cell: ScreenCell(character: "…", columns: 1), final: nil)
        var start = all.starts[all.count - rows] + 1
        while start < region.count {
            let tail = [mark] + region[start...]
            if region[start].cell.columns > 0, ScreenRows(tail.map(\.cell.columns), width: width).count <= rows {
                return tail
            }
            start += 1
        }
        return [mark]
    }

    private func text(_ cells: ArraySlice<Shown>) -> String { String(cells.map(\.cell.character)) }

    private func styled(_ cells: [Shown]) -> String {
        let finals = cells.prefix { $0.final != nil }
        let (text, rest) = (text(finals), text(cells[finals.count...]))
        return rest.isEmpty ? text : style == .dim ? "\(text)\u{1b}[2m\(rest)\u{1b}[22m" : text + rest
    }
}
