import WhisperEngine

/// A live transcript on a terminal, as a value: final text that scrolls, one line per utterance and speaker, and below it
/// a live region that is redrawn in place. The region holds the last row of the unfinished line, the volatile text and a
/// status line.
///
/// Final text is written once and scrolls into the terminal's history; volatile text never leaves the region, which
/// leaves at least one row of the window free. Rows are wrapped at words, by `WordWrap`. A message never splits a line:
/// while a line that has scrolled is unfinished, it takes the place of the status.
///
/// This type only computes what to write; `LiveDisplay` decides when, and which text and timestamp, and writes it.
/// `LiveSession` chooses the style. `LiveLines` writes to pipes and `LiveJSON` for programs; volatile text is also drawn by
/// `Console` (`transcribe`, `history recover`), `DictateDisplay`, and in browsers by `ServerFiles/page/view.js`. The tests'
/// `TerminalEmulator` knows only the escape sequences that are used now.
package struct LiveScreen: Sendable {
    /// How volatile text differs from final text.
    package enum Style: Sendable {
        case dim, parentheses
    }

    /// Who speaks, as it is shown before the text.
    package struct Speaker: Sendable {
        let label: String
        /// In the 256-color palette; `nil` shows it like the text.
        let color: Int?

        package init(label: String, color: Int? = nil) { (self.label, self.color) = (label, color) }
    }

    private struct Line {
        /// `nil` for a message, and for the empty line after one.
        var utterance: Int?
        /// The speaker of the final text.
        var speaker: String?
        var finals: [ScreenCell] = []
    }

    /// A cell on the screen.
    private struct Shown {
        var cell: ScreenCell
        /// Its index among its line's final cells, if it is one.
        var final: Int?
        /// It is final text, or a blank that fills a row of it.
        var isFinal: Bool
        /// It is not part of the text.
        var fillsRow = false
    }

    package let style: Style
    /// Marks each redraw as one change, for a terminal that supports synchronized output.
    package var synchronizes = false

    /// Lines that are not written completely yet; all but the last one are complete.
    private var lines: [Line] = []
    /// Messages that wait for the end of the last line.
    private var messages: [Line] = []
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
    /// The cursor is at the start of a row that continues the row above and still shows what it showed before.
    private var isOverwriting = false
    private var isStale = false

    package init(size: TerminalSize, style: Style) {
        self.size = size
        self.style = style
    }

    // MARK: Contents

    /// Appends final text.
    ///
    /// - Parameters:
    ///   - lead: precedes the text if it starts a line.
    ///   - speaker: also precedes the text; a change of speaker starts a new line.
    package mutating func append(_ text: String, utterance: Int, lead: String = "", speaker: Speaker? = nil) {
        startLine(of: utterance)
        if let last = lines.last, !last.finals.isEmpty, last.speaker != speaker?.label {
            endLine()
            lines.append(Line(utterance: utterance))
        }
        let index = lines.count - 1
        if lines[index].finals.isEmpty {
            lines[index].speaker = speaker?.label
            lines[index].finals = ScreenCell.cells(of: lead)
            if let speaker { lines[index].finals += ScreenCell.cells(of: speaker.label, color: speaker.color) }
            lines[index].finals += ScreenCell.cells(of: text.drop { $0.isWhitespace })
        } else {
            lines[index].finals += ScreenCell.cells(of: text)
        }
        volatile = []
        isStale = true
    }

    /// Replaces the volatile text; `nil` removes it.
    package mutating func show(volatile text: String?, utterance: Int = 0, lead: String = "") {
        isStale = true
        guard let text, !text.allSatisfy(\.isWhitespace) else { return volatile = [] }
        startLine(of: utterance)
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

    /// Adds a line that is not part of the transcript.
    package mutating func append(message text: String) {
        isStale = true
        let message = Line(finals: ScreenCell.cells(of: text))
        let isPartlyWritten = lines.count == 1 && (settled > 0 || !above.isEmpty)
        if isPartlyWritten { return messages.append(message) }
        let last = lines.popLast() ?? Line()
        lines += [message, last]
    }

    /// The utterance of the last line is over, so that waiting messages can follow it.
    package mutating func endLine() {
        guard !messages.isEmpty else { return }
        (lines, messages) = (lines + messages + [Line()], [])
        isStale = true
    }

    private mutating func startLine(of utterance: Int) {
        guard lines.last?.utterance != utterance else { return }
        endLine()
        lines.append(Line(utterance: utterance))
    }

    // MARK: Drawing

    /// Updates the terminal.
    ///
    /// - Parameter size: the terminal's current size.
    /// - Returns: what to write in one call; empty if nothing changed.
    package mutating func redraw(size: TerminalSize) -> TerminalText {
        guard isStale || size != self.size else { return "" }
        var output = cleared(size)
        output += completeLines()
        output += drawRegion()
        isStale = false
        return marked(output)
    }

    /// Erases the live region, with all final text written and the cursor at the start of a row: for a message, before
    /// the program is suspended, or at the end. The next `redraw` continues below.
    package mutating func leave(size: TerminalSize) -> TerminalText {
        var output = cleared(size)
        let utterance = lines.last?.utterance
        endLine()
        lines.append(Line())
        output += completeLines()
        lines = utterance.map { [Line(utterance: $0)] } ?? []
        isStale = true
        return output.isEmpty ? "" : marked(output)
    }

    private func marked(_ output: TerminalText) -> TerminalText {
        let drawing = "\u{1b}[?25l" + output + "\u{1b}[?25h"
        return synchronizes ? "\u{1b}[?2026h" + drawing + "\u{1b}[?2026l" : drawing
    }

    /// Clears the live region, with the cursor at its start. Its first row is only overwritten if it continues the row
    /// above: erasing it whole would make some terminals forget that the two are one line.
    private mutating func cleared(_ newSize: TerminalSize) -> TerminalText {
        let rows = newSize == size ? rowsDrawn : refit(newSize)
        size = newSize
        defer { (drawn, drawnStatus, isDrawn) = ([], nil, false) }
        guard isDrawn else { return "" }
        // Row by row: some terminals move the screen into the history when all of it is erased at once.
        let lower = (1..<max(1, rows)).reduce("\r" as TerminalText) { erased, _ in erased + "\u{1b}[K\u{1b}[A" }
        isOverwriting = !above.isEmpty
        return isOverwriting ? lower : lower + "\u{1b}[K"
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
            let filler = Shown(cell: ScreenCell(character: "?", columns: 1), isFinal: false)
            above = Array(repeating: filler, count: (top - textRows) * newSize.columns)
        }
        return reachable
    }

    /// The unwritten rest of all lines but the last.
    private mutating func completeLines() -> TerminalText {
        var output: TerminalText = ""
        while lines.count > 1 {
            let line = lines.removeFirst()
            output += overwriting(wrapped(cells(line.finals[settled...])))
            if !line.finals.isEmpty || !above.isEmpty { output += "\r\n" }
            (above, settled) = ([], 0)
        }
        return output
    }

    private mutating func drawRegion() -> TerminalText {
        let width = size.columns
        var region = cells(lines.first?.finals[settled...] ?? [])
        region += volatile.map { Shown(cell: $0.fitting(width), isFinal: false) }
        var output: TerminalText = ""
        if region.isEmpty, !above.isEmpty {
            // The window became so small that it pushed the whole text out.
            output += overwriting([]) + "\r\n"
            above = []
        }
        // Rows full of final text leave the region and scroll; its last row stays.
        let text = wrapped(region)
        let finals = text.prefix(while: \.isFinal)
        let full = ScreenRows(text.map(\.cell.columns), width: width).starts.last { $0 < finals.count } ?? 0
        let scrolling = text[..<full]
        region.removeFirst(scrolling.count { $0.final != nil })
        let status = messages.last?.finals ?? status
        let showsStatus = !status.isEmpty && width > 1 && (region.isEmpty || size.rows > 2)
        let room = max(1, size.rows - 1 - (showsStatus ? 1 : 0))
        let tail = tail(of: region, rows: room)
        if tail.isCut, full > 0 {
            // Writing the first character of the next row makes the terminal wrap to it.
            output += overwriting(Array(text[...full])) + "\r"
            isOverwriting = true
            output += overwriting(tail.cells)
        } else {
            output += overwriting(scrolling + tail.cells)
        }
        above += scrolling
        settled += scrolling.count { $0.final != nil }
        drawn = tail.cells
        if showsStatus {
            // The last column stays free: some terminals wrap the line there.
            let line = DisplayWidth.head(of: String(status.map(\.character)), columns: width - 1)
            output += drawn.isEmpty ? "" : "\r\n"
            output += style == .dim ? "\u{1b}[2m\(line)\u{1b}[22m" : TerminalText(line)
            drawnStatus = DisplayWidth.columns(of: line)
        }
        isDrawn = !drawn.isEmpty || showsStatus
        return output
    }

    /// Final cells from `settled` on.
    private func cells(_ finals: ArraySlice<ScreenCell>) -> [Shown] {
        finals.enumerated().map { index, cell in
            Shown(cell: cell.fitting(size.columns), final: settled + index, isFinal: true)
        }
    }

    /// Cells from the start of a row, with the blanks that keep words together.
    private func wrapped(_ cells: [Shown]) -> [Shown] {
        let blanks = WordWrap.blanks(before: cells.map(\.cell), width: size.columns)
        return zip(cells, blanks).flatMap { shown, count in
            Array(repeating: Shown(cell: .blank, isFinal: shown.isFinal, fillsRow: true), count: count) + [shown]
        }
    }

    /// The last rows of a region, wrapped, after `…` if something is omitted.
    private func tail(of region: [Shown], rows: Int) -> (cells: [Shown], isCut: Bool) {
        let text = wrapped(region)
        let all = ScreenRows(text.map(\.cell.columns), width: size.columns)
        guard all.count > rows else { return (text, false) }
        let mark = Shown(cell: ScreenCell(character: "…", columns: 1), isFinal: false)
        var start = text[..<all.starts[all.count - rows]].count { !$0.fillsRow } + 1
        while start < region.count {
            let tail = wrapped([mark] + region[start...])
            if region[start].cell.columns > 0, ScreenRows(tail.map(\.cell.columns), width: size.columns).count <= rows {
                return (tail, true)
            }
            start += 1
        }
        return ([mark], true)
    }

    /// The text, with the sequence that clears what is left of the old first row.
    private mutating func overwriting(_ cells: [Shown]) -> TerminalText {
        guard isOverwriting else { return styled(cells) }
        isOverwriting = false
        guard let first = cells.firstIndex(where: { $0.cell.columns > 0 }) else { return styled(cells) + "\u{1b}[K" }
        // After a character in the last column, the cursor is still on it.
        if cells[first].cell.columns >= size.columns { return styled(cells) }
        return styled(Array(cells[...first])) + "\u{1b}[K" + styled(Array(cells[(first + 1)...]))
    }

    private func text(_ cells: ArraySlice<Shown>) -> TerminalText {
        var text: TerminalText = "", rest = cells
        while let first = rest.first {
            let run = rest.prefix { $0.cell.color == first.cell.color }
            let part = TerminalText(String(run.map(\.cell.character)))
            text += first.cell.color.map { "\u{1b}[38;5;\($0)m\(part)\u{1b}[39m" } ?? part
            rest = rest[run.endIndex...]
        }
        return text
    }

    private func styled(_ cells: [Shown]) -> TerminalText {
        let finals = cells.prefix(while: \.isFinal)
        let (text, rest) = (text(finals), text(cells[finals.count...]))
        return rest.isEmpty ? text : style == .dim ? "\(text)\u{1b}[2m\(rest)\u{1b}[22m" : text + rest
    }
}
