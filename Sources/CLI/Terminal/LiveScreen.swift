/// What a terminal shows of a live transcript, as a value: finals that scroll, one line for each utterance, and below
/// them a live region that is redrawn in place: the unfinished line's last row, the volatile text and a status line.
///
/// What is final is written once and flows up into the terminal's history; what is not is never let out of the region,
/// which leaves at least one row free. Rows are broken by the terminal itself, so that an utterance stays one line when
/// it is copied or when the window changes its width.
package struct LiveScreen: Sendable {
    /// How the volatile text is told from what is final.
    package enum Style: Sendable {
        case dim, parentheses
    }

    private struct Line {
        let utterance: Int
        var finals: [ScreenCell] = []
    }

    /// A cell on the screen, with its index among its line's finals if it is one.
    private struct Shown {
        let cell: ScreenCell
        let final: Int?
    }

    package let style: Style
    /// Redraws are marked as one change, for a terminal that knows the marks.
    package var synchronizes = false

    /// Lines of which something is still to be written; all but the last one are complete.
    private var lines: [Line] = []
    private var volatile: [ScreenCell] = []
    private var status: [ScreenCell] = []

    // What is on the screen.
    private var size: TerminalSize
    /// Cells of the first line above the live region.
    private var above: [Shown] = []
    /// How many of its finals stand there.
    private var settled = 0
    /// Cells of the live region's text, which begins at the start of a row.
    private var drawn: [Shown] = []
    /// Columns of the status line; `nil` where there is none.
    private var drawnStatus: Int?
    private var isDrawn = false
    private var isStale = false

    package init(size: TerminalSize, style: Style) {
        self.size = size
        self.style = style
    }

    // MARK: What is to be seen

    /// Appends what is final.
    ///
    /// - Parameter lead: goes before the text where it begins a line.
    package mutating func append(_ text: String, utterance: Int, lead: String = "") {
        if lines.last?.utterance != utterance { lines.append(Line(utterance: utterance)) }
        let isFirst = lines[lines.count - 1].finals.isEmpty
        let text = isFirst ? lead + text.drop { $0.isWhitespace } : text
        lines[lines.count - 1].finals += ScreenCell.cells(of: text)
        volatile = []
        isStale = true
    }

    /// Replaces the volatile text; `nil` is none.
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

    /// Replaces the status line; an empty one is none.
    package mutating func show(status text: String) {
        let cells = ScreenCell.cells(of: text)
        if cells != status { (status, isStale) = (cells, true) }
    }

    // MARK: What to write

    /// Brings the terminal up to date.
    ///
    /// - Parameter size: the terminal's as it is now.
    /// - Returns: bytes for one write; none where nothing changed.
    package mutating func redraw(size: TerminalSize) -> String {
        guard isStale || size != self.size else { return "" }
        var output = cleared(size)
        output += completeLines()
        output += drawRegion()
        isStale = false
        return marked(output)
    }

    /// Takes the live region away with everything final written and the cursor at the start of a row, for a message,
    /// for a pause of the program, or at the end. The next `redraw` goes on below.
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

    /// Clears from the live region's first row on.
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

    /// Finds out where a terminal of another size has moved the live region.
    ///
    /// - Returns: rows from the region's first one that can still be reached to the cursor.
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
            // What was pushed out of reach stands in the terminal's history for good.
            for shown in line[above.count..<start] where shown.final == settled { settled += 1 }
        }
        if top < textRows {
            above = Array(line[..<start])
        } else {
            // The first rows of the status line are out of reach, too, and what follows stands on its line.
            let filler = Shown(cell: ScreenCell(character: "?", columns: 1), final: nil)
            above = Array(repeating: filler, count: (top - textRows) * newSize.columns)
        }
        return reachable
    }

    /// What is still to be written of all lines but the last.
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
        // Rows that finals have filled are left to scroll.
        let full = ScreenRows(rest.map(\.cell.columns), width: width).starts.last ?? 0
        var region = Array(rest[full...])
        region += volatile.map { Shown(cell: $0.fitting(width), final: nil) }
        if region.isEmpty, !above.isEmpty {
            // Only a smaller window leads here, which has pushed the whole text out.
            (above, output) = ([], "\r\n")
        }
        let showsStatus = !status.isEmpty && width > 1 && (region.isEmpty || size.rows > 2)
        let room = max(1, size.rows - 1 - (showsStatus ? 1 : 0))
        let tail = Self.tail(of: region, width: width, rows: room)
        output += text(rest[..<full])
        if tail.count < region.count, full > 0 {
            // The terminal goes to the next row for the sign that belongs there.
            output += text(rest[full...full]) + "\r\u{1b}[K"
        }
        output += styled(tail)
        above += rest[..<full]
        (settled, drawn) = (settled + full, tail)
        if showsStatus {
            // The last column stays free: some terminals break the line there.
            let line = DisplayWidth.head(of: String(status.map(\.character)), columns: width - 1)
            output += (tail.isEmpty ? "" : "\r\n") + (style == .dim ? "\u{1b}[2m\(line)\u{1b}[22m" : line)
            drawnStatus = DisplayWidth.columns(of: line)
        }
        isDrawn = !tail.isEmpty || showsStatus
        return output
    }

    /// The last rows of a region, led by `…` where something is missing.
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
