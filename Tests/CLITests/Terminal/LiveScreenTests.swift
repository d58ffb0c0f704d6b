import Testing
import WhisperCommands

@Suite("Live screen")
struct LiveScreenTests {
    private static func screen(_ columns: Int = 20, _ rows: Int = 6, style: LiveScreen.Style = .dim) -> LiveScreen {
        LiveScreen(size: TerminalSize(columns: columns, rows: rows), style: style)
    }

    @Test("volatile text follows the final text of its line, dim, and is replaced in place")
    func replaced() {
        var screen = Self.screen()
        let size = TerminalSize(columns: 20, rows: 6)
        screen.show(volatile: " hello wor")
        #expect(screen.redraw(size: size) == "\u{1b}[?25l\u{1b}[2mhello wor\u{1b}[22m\u{1b}[?25h")
        screen.append(" hello", utterance: 0)
        screen.show(volatile: " world")
        #expect(screen.redraw(size: size) == "\u{1b}[?25l\r\u{1b}[Khello\u{1b}[2m world\u{1b}[22m\u{1b}[?25h")
        #expect(screen.redraw(size: size) == "")
    }

    @Test("without colors the volatile text is in parentheses")
    func plain() {
        var screen = Self.screen(style: .parentheses)
        screen.append(" hello", utterance: 0)
        screen.show(volatile: " world")
        screen.show(status: "listening")
        let drawn = screen.redraw(size: TerminalSize(columns: 20, rows: 6)).safe
        #expect(drawn == "\u{1b}[?25lhello (world)\r\nlistening\u{1b}[?25h")
    }

    @Test("each utterance starts a line, and only final text remains at the end")
    func lines() {
        var screen = Self.screen()
        var terminal = TerminalEmulator(columns: 20, rows: 6)
        let size = TerminalSize(columns: 20, rows: 6)
        screen.append(" one", utterance: 0, lead: "[0] ")
        screen.append(" two", utterance: 0, lead: "[1] ")
        screen.show(volatile: " three", utterance: 1, lead: "[2] ")
        screen.show(status: "0:02  listening")
        terminal.write(screen.redraw(size: size).safe)
        #expect(terminal.screen == ["[0] one two", "[2] three", "0:02  listening", "", "", ""])
        terminal.write(screen.leave(size: size).safe)
        #expect(terminal.screen == ["[0] one two", "", "", "", "", ""])
        #expect(terminal.cursorRow == 1 && terminal.showsCursor && terminal.unknown.isEmpty)
        #expect(screen.leave(size: size) == "")
    }

    @Test("a change of speaker starts a line, with the name in color")
    func speakers() {
        var screen = Self.screen(30)
        var terminal = TerminalEmulator(columns: 30, rows: 6)
        let size = TerminalSize(columns: 30, rows: 6)
        let anna = LiveScreen.Speaker(label: "[Anna] ", color: 33), ben = LiveScreen.Speaker(label: "[Ben] ")
        screen.show(volatile: " one", utterance: 0, lead: "0:01 ")
        screen.append(" one", utterance: 0, lead: "0:01 ", speaker: anna)
        screen.append(" two", utterance: 0, lead: "0:02 ", speaker: anna)
        screen.show(volatile: " three", utterance: 0, lead: "0:03 ")
        let first = screen.redraw(size: size)
        #expect(
            first
                == "\u{1b}[?25l0:01 \u{1b}[38;5;33m[Anna] \u{1b}[39mone two\u{1b}[2m three\u{1b}[22m\u{1b}[?25h")
        terminal.write(first.safe)
        screen.append(" three", utterance: 0, lead: "0:03 ", speaker: ben)
        terminal.write(screen.redraw(size: size).safe)
        #expect(terminal.screen.prefix(3) == ["0:01 [Anna] one two", "0:03 [Ben] three", ""])
        screen.append(" four", utterance: 1, lead: "0:04 ", speaker: ben)
        terminal.write(screen.leave(size: size).safe)
        screen.append(" five", utterance: 1, lead: "0:05 ", speaker: ben)
        terminal.write(screen.leave(size: size).safe)
        #expect(terminal.screen[2...4] == ["0:04 [Ben] four", "0:05 [Ben] five", ""])
    }

    @Test("volatile text too long for the window shows its last rows after an ellipsis")
    func long() {
        var screen = Self.screen(8, 4)
        var terminal = TerminalEmulator(columns: 8, rows: 4)
        screen.append(" first", utterance: 0)
        screen.show(volatile: " 0123456789abcdefghijklmnopqrstuv")
        screen.show(status: "status")
        terminal.write(screen.redraw(size: TerminalSize(columns: 8, rows: 4)).safe)
        #expect(terminal.screen == ["…jklmnop", "qrstuv", "status", ""])
        screen.append(" 0123456789abcdefghijklmnopqrstuv", utterance: 0)
        terminal.write(screen.redraw(size: TerminalSize(columns: 8, rows: 4)).safe)
        #expect(terminal.screen == ["abcdefgh", "ijklmnop", "qrstuv", "status"])
        #expect(terminal.lines() == ["first 0123456789abcdefghijklmnopqrstuv", "status"])
    }

    @Test("a wide character that does not fit wraps, and is shown as ? if no row is wide enough")
    func wide() {
        var screen = Self.screen(5, 6)
        var terminal = TerminalEmulator(columns: 5, rows: 6)
        screen.append(" 日本語e\u{301}", utterance: 0)
        terminal.write(screen.redraw(size: TerminalSize(columns: 5, rows: 6)).safe)
        #expect(terminal.screen.prefix(2) == ["日本", "語e\u{301}"])
        var narrow = Self.screen(1, 6)
        terminal = TerminalEmulator(columns: 1, rows: 6)
        narrow.append(" 日a", utterance: 0)
        terminal.write(narrow.redraw(size: TerminalSize(columns: 1, rows: 6)).safe)
        #expect(terminal.screen.prefix(2) == ["?", "a"])
    }

    @Test("control characters are shown as question marks")
    func control() {
        var screen = Self.screen(40)
        screen.append(" a\u{1b}[2Jb\tc\r\nd\u{9b}e\u{2028}f", utterance: 0)
        #expect(
            screen.redraw(size: TerminalSize(columns: 40, rows: 6)) == "\u{1b}[?25la?[2Jb?c??d?e?f\u{1b}[?25h")
    }

    @Test("a redraw is bracketed for a terminal with synchronized output")
    func synchronized() {
        var screen = Self.screen()
        screen.synchronizes = true
        screen.append(" a", utterance: 0)
        #expect(
            screen.redraw(size: TerminalSize(columns: 20, rows: 6))
                == "\u{1b}[?2026h\u{1b}[?25la\u{1b}[?25h\u{1b}[?2026l")
    }

    @Test("a message goes above a line that has not scrolled, and waits in the status line for one that has")
    func messages() {
        let size = TerminalSize(columns: 20, rows: 6)
        var screen = Self.screen(20, 6)
        var terminal = TerminalEmulator(columns: 20, rows: 6)
        screen.show(status: "listening")
        screen.append(" one", utterance: 0)
        terminal.write(screen.redraw(size: size).safe)
        screen.append(message: "warning: a")
        screen.append(" two", utterance: 0)
        terminal.write(screen.redraw(size: size).safe)
        #expect(terminal.screen == ["warning: a", "one two", "listening", "", "", ""])
        screen.append(" three four five six", utterance: 0)
        terminal.write(screen.redraw(size: size).safe)
        screen.append(message: "warning: b")
        terminal.write(screen.redraw(size: size).safe)
        #expect(terminal.screen == ["warning: a", "one two three four", "five six", "warning: b", "", ""])
        screen.append(" seven", utterance: 0)
        terminal.write(screen.redraw(size: size).safe)
        #expect(terminal.screen == ["warning: a", "one two three four", "five six seven", "warning: b", "", ""])
        screen.endLine()
        terminal.write(screen.redraw(size: size).safe)
        screen.append(" eight", utterance: 1)
        terminal.write(screen.redraw(size: size).safe)
        #expect(
            terminal.screen == [
                "warning: a", "one two three four", "five six seven", "warning: b", "eight", "listening",
            ])
        // Without a pause, the next utterance ends the line.
        screen.append(" nine ten eleven twelve", utterance: 1)
        terminal.write(screen.redraw(size: size).safe)
        screen.append(message: "warning: c")
        screen.append(" last", utterance: 2)
        terminal.write(screen.leave(size: size).safe)
        #expect(
            terminal.lines().map { $0.split(separator: " ").joined(separator: " ") } == [
                "warning: a", "one two three four five six seven", "warning: b", "eight nine ten eleven twelve",
                "warning: c", "last",
            ])
    }

    @Test("after a resize the redraw erases all rows of the region, however they are wrapped")
    func resized() {
        var screen = Self.screen(20, 6)
        var terminal = TerminalEmulator(columns: 20, rows: 6)
        screen.append(" done before", utterance: 0)
        screen.append(" what is final", utterance: 1)
        screen.show(volatile: " and what is not yet", utterance: 1)
        screen.show(status: "0:02  listening")
        terminal.write(screen.redraw(size: TerminalSize(columns: 20, rows: 6)).safe)
        #expect(
            terminal.screen == ["done before", "what is final and", "what is not yet", "0:02  listening", "", ""])
        for columns in [7, 11, 40, 20] {
            terminal.resize(columns: columns, rows: 12)
            terminal.write(screen.redraw(size: TerminalSize(columns: columns, rows: 12)).safe)
            #expect(
                terminal.lines().map { $0.split(separator: " ").joined(separator: " ") } == [
                    "done before", "what is final and what is not yet",
                    columns == 7 ? "0:02" : columns == 11 ? "0:02 list" : "0:02 listening",
                ])
        }
    }
}
