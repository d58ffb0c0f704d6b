import WhisperEngine

/// Prints the texts of `dictate` to standard output, and its status line to standard error if that is a terminal.
///
/// Runs on its own thread, so that a suspended terminal (Ctrl-S) blocks nothing else.
actor DictateDisplay {
    private let executor = ComputeExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    private let streams: StandardStreams
    private let showsStatusLine: Bool
    /// If the texts also go to the terminal, the status line need not repeat them.
    private let printsToTerminal: Bool
    private let isQuiet: Bool
    private let isStyled: Bool
    private var shownLine: TerminalText = ""
    private var volatile = ""
    private var keys = DictateStatusLine.Keys.none

    init(_ options: DictateOptions, context: CommandContext) {
        streams = context.streams
        isQuiet = options.listening.verbosity == .quiet
        showsStatusLine = context.streams.errorIsTerminal && !isQuiet && !Terminal.isDumb(context.environment)
        printsToTerminal = context.streams.outputIsTerminal
        isStyled = options.listening.color.isOn(
            onTerminal: context.streams.errorIsTerminal, environment: context.environment)
    }

    func show(keys: DictateStatusLine.Keys) { self.keys = keys }
    func show(volatile: String) {
        self.volatile = String(volatile.map { $0.isNewline ? " " : $0 })
    }

    /// - Parameter time: seconds on any monotonic clock.
    func draw(_ phase: PushToTalk.Phase, level: Double?, at time: Double) {
        guard showsStatusLine, Terminal.isForeground(2), let columns = Terminal.columns, columns > 1 else {
            return
        }
        var line = DictateStatusLine(phase: phase)
        (line.level, line.volatile, line.keys, line.isStyled) = (level, volatile, keys, isStyled)
        if case .complete = phase, printsToTerminal { line.volatile = "" }
        let text = line.text(columns: columns, at: time)
        guard text != shownLine else { return }
        shownLine = text
        streams.writeError("\r\(text)\u{1b}[K")
    }

    /// Prints a text and a line feed.
    func print(_ text: String) throws(StreamError) {
        hide()
        try streams.writeOutput("\(text)\n")
    }

    func ring() {
        if showsStatusLine { streams.writeError("\u{7}") }
    }

    /// Prints a problem, unless the status line shows it.
    func report(_ problem: String) { if !showsStatusLine { warning(problem) } }

    func warning(_ text: String) { note("warning: \(text)") }

    func note(_ text: String) {
        guard !isQuiet else { return }
        hide()
        streams.writeError("\(TerminalText(line: text))\n")
    }

    /// Removes the status line until it is drawn again.
    func hide() {
        if !shownLine.isEmpty { streams.writeError("\r\u{1b}[K") }
        shownLine = ""
    }
}

/// The status line of `dictate`: `●  2.0 s  [#####.....]  Turn the`.
package struct DictateStatusLine: Sendable {
    /// How the user can record.
    package enum Keys: Sendable {
        case held, toggled, none
    }

    package var phase: PushToTalk.Phase
    /// dBFS.
    package var level: Double?
    /// The text so far; with `complete`, the text that was delivered.
    package var volatile = ""
    package var keys = Keys.held
    package var isStyled = true

    package init(phase: PushToTalk.Phase) { self.phase = phase }

    /// - Parameter time: seconds on any clock; animates the dot and the spinner.
    package func text(columns: Int, at time: Double) -> TerminalText {
        // The last column stays free: some terminals wrap the line there.
        let room = columns - 1
        guard room > 0 else { return "" }
        switch phase {
        case .idle: return fitting("  idle   \(hint)", room)
        case .recording(let seconds):
            // Blinks once a second.
            let dot = Int(time * 2) % 2 == 0 ? "●" : " "
            let head = "   \(OneDecimal.text(seconds)) s  \(LiveStatusLine.bar(level))"
            guard room > DisplayWidth.columns(of: head) else { return fitting(dot, room) }
            return colored(dot, .red) + TerminalText(head.dropFirst(1))
                + tail(columns: room - DisplayWidth.columns(of: head))
        case .processing(let seconds):
            let spinner = Array("|/-\\")[Int(time * 10) % 4]
            return fitting("\(spinner) \(OneDecimal.text(seconds)) s", room)
        case .complete(let words, let seconds):
            let text = " \(Counted.text(words, "word")), \(OneDecimal.text(seconds)) s"
            return colored("✓", .green) + fitting(text, room - 1)
                + tail(columns: room - 1 - DisplayWidth.columns(of: text))
        case .noSpeech: return fitting("  no speech", room)
        case .error(let reason): return colored(DisplayWidth.head(of: reason, columns: room), .red)
        }
    }

    /// The end of the text, if there is room for some of it.
    private func tail(columns: Int) -> TerminalText {
        let words = String(ScreenCell.cells(of: volatile.drop { $0.isWhitespace }).map(\.character))
        let tail = columns >= 10 ? DisplayWidth.tail(of: words, columns: columns - 2) : ""
        return tail.isEmpty ? "" : "  " + colored(tail, .dim)
    }

    private var hint: String {
        switch keys {
        case .held: "hold SPACE to speak, q quits"
        case .toggled: "SPACE to start, SPACE again to stop, q quits"
        case .none: "SIGUSR1 to start, SIGUSR2 to stop"
        }
    }

    private func fitting(_ text: String, _ columns: Int) -> TerminalText {
        TerminalText(line: DisplayWidth.head(of: text, columns: columns))
    }

    private enum Style: Int {
        case dim = 2
        case red = 31
        case green = 32
    }

    private func colored(_ text: String, _ style: Style) -> TerminalText {
        let text = TerminalText(line: text)
        guard isStyled, !text.isEmpty else { return text }
        return "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
    }
}
