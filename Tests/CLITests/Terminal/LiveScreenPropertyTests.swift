import Testing
import WhisperCommands
import WhisperEngine

@Suite("Live screen with random updates")
struct LiveScreenPropertyTests {
    private static let characters: [Character] =
        Array("abcdefghij klmno pqrs tuvw xyz") + [
            "日", "本", "語", "é", "e\u{301}", "👨‍👩‍👧", "❤️", "한", "ש", "ל", "\u{7}", "\u{301}",
        ]
    private static let narrow: [Character] = Array("abcdefghijklmnopqrstuvwxyz אב")

    private struct Play {
        var random: SplitMix
        let style: LiveScreen.Style
        let mayShrink: Bool
        var size: TerminalSize
        var screen: LiveScreen
        var terminal: TerminalEmulator
        /// The lines expected at the end.
        var expected: [String] = []
        var utterance = 0
        var isOpen = false

        init(seed: UInt64, style: LiveScreen.Style, mayShrink: Bool) {
            random = SplitMix(state: seed)
            let size = TerminalSize(
                columns: .random(in: 1...200, using: &random), rows: .random(in: 2...50, using: &random))
            (self.style, self.mayShrink, self.size) = (style, mayShrink, size)
            screen = LiveScreen(size: size, style: style)
            screen.synchronizes = seed % 3 == 0
            terminal = TerminalEmulator(columns: size.columns, rows: size.rows)
            terminal.pullsBack = seed % 2 == 0
        }

        mutating func text(maxCount: Int) -> String {
            let count = Int.random(in: 1...maxCount, using: &random)
            // A window of one column has no room for wide characters, which are then replaced.
            let characters = mayShrink || size.columns == 1 ? narrow : LiveScreenPropertyTests.characters
            return " a" + String((0..<count).map { _ in characters.randomElement(using: &random) ?? "a" }) + "."
        }

        mutating func final() {
            let text = text(maxCount: Bool.random(using: &random) ? 12 : 400)
            screen.append(text, utterance: utterance)
            let shown = String(
                String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? "?" : $0 }))
            if isOpen {
                expected[expected.count - 1] += shown
            } else {
                expected.append(String(shown.drop { $0 == " " }))
            }
            isOpen = true
        }

        mutating func redraw() {
            if Int.random(in: 0..<5, using: &random) == 0 {
                let columns = Int.random(in: mayShrink ? 1...200 : size.columns...200, using: &random)
                let rows = Int.random(in: mayShrink ? 2...50 : size.rows...50, using: &random)
                size = TerminalSize(columns: columns, rows: rows)
                terminal.resize(columns: columns, rows: rows)
            }
            write(screen.redraw(size: size))
        }

        mutating func write(_ text: TerminalText) {
            terminal.write(text.safe)
            #expect(terminal.showsCursor && terminal.cursorRow < size.rows)
            #expect(terminal.unknown == [])
        }

        mutating func step() {
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1, 2: final()
            case 3, 4, 5:
                let text = text(maxCount: Bool.random(using: &random) ? 20 : 600)
                screen.show(volatile: text, utterance: utterance)
                redraw()
            case 6:
                screen.show(volatile: nil)
                redraw()
            case 7:
                if isOpen { utterance += 1 }
                isOpen = false
            case 8: screen.show(status: Bool.random(using: &random) ? text(maxCount: 90) : "")
            default: redraw()
            }
        }
    }

    private static func play(_ seed: UInt64, style: LiveScreen.Style, mayShrink: Bool) -> Play {
        var play = Play(seed: seed, style: style, mayShrink: mayShrink)
        for _ in 0..<Int.random(in: 1...40, using: &play.random) { play.step() }
        play.write(play.screen.leave(size: play.size))
        return play
    }

    /// Blanks fill the rows, also within a word where a wide character does not fit, and trailing ones are not visible.
    private static func trimmed(_ lines: [String]) -> [String] {
        lines.map { line in
            let isWide = line.contains { DisplayWidth.columns(of: $0) == 2 }
            return line.split(separator: " ").joined(separator: isWide ? "" : " ")
        }
    }

    @Test(
        "in a window that never shrinks, history and screen hold all final text once, in order, and nothing else",
        arguments: [LiveScreen.Style.dim, .parentheses])
    func growing(style: LiveScreen.Style) {
        for seed in 0..<600 as Range<UInt64> {
            let play = Self.play(seed, style: style, mayShrink: false)
            let lines = Self.trimmed(play.terminal.lines())
            #expect(lines == Self.trimmed(play.expected), "seed \(seed)")
            if lines != Self.trimmed(play.expected) { return }
        }
    }

    @Test("however the window is resized, all final text appears once and in order")
    func resized() {
        var kept = 0
        for seed in 0..<1200 as Range<UInt64> {
            let play = Self.play(seed, style: .dim, mayShrink: true)
            if Self.trimmed(play.terminal.lines()) == Self.trimmed(play.expected) { kept += 1 }
            // A window too small for the live region pushes some of its rows into the history, where no program can
            // erase them: they remain, dim, and the line continues after them.
            let finals = play.terminal.lines { !$0.isDim }.joined().filter { $0 != " " }
            let expected = play.expected.joined().filter { $0 != " " }
            #expect(finals == expected, "seed \(seed)")
            if finals != expected { return }
        }
        #expect(kept > 600)
    }
}

/// A random number generator with the same sequence in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
