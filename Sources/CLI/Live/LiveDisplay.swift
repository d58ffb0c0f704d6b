import WhisperEngine

/// Prints a live transcript to standard output, as a redrawn terminal screen, as lines or as JSON, and the status line
/// and messages to standard error.
///
/// Runs on its own thread, so that a suspended terminal (Ctrl-S) or a full pipe blocks nothing else. How the growing
/// line with its volatile text is drawn is up to `LiveScreen`.
actor LiveDisplay {
    enum Form {
        case screen(LiveScreen), lines(LiveLines), json(LiveJSON)
    }

    struct Style: Sendable {
        var showsTimestamps = true
        var isQuiet = false
        var isVerbose = false
        /// Shows the status line if standard error is a terminal.
        var showsStatus = true
        /// Dims a status line that is not part of the screen.
        var dimsStatus = true
        /// Gives each speaker's name a color.
        var colorsSpeakers = false
    }

    private let executor = ComputeExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    private let streams: StandardStreams
    private let style: Style
    private var form: Form
    /// Standard error is the terminal that the screen is drawn on.
    private let sharesTerminal: Bool
    /// Called once, when standard output cannot be written or its reader is gone.
    private let onOutputLost: @Sendable () -> Void
    private var isOutputLost = false
    private var speakers = SpeakerColors()
    private(set) var failure: StreamError?
    private var lastRedraw: ContinuousClock.Instant?
    private var status = ""
    /// A status line is currently shown on standard error.
    private var isStatusLineShown = false
    private(set) var finalCount = 0
    /// Where the last final ends, in seconds.
    private var finalEnd = 0.0

    private static let minimumRedrawInterval = Duration.milliseconds(100)

    init(
        form: Form, style: Style, streams: StandardStreams, onOutputLost: @escaping @Sendable () -> Void
    ) {
        (self.form, self.style, self.streams, self.onOutputLost) = (form, style, streams, onOutputLost)
        if case .screen = form { sharesTerminal = Terminal.isSame(1, 2) } else { sharesTerminal = false }
    }

    // MARK: The transcript

    /// Prints JSON's first line.
    func open(model: String, device: String?) {
        if case .json(let json) = form { write(TerminalText(json.opening(model: model, device: device))) }
    }

    func show(_ update: TranscriptUpdate) {
        switch update {
        case .final(let segment): (finalCount, finalEnd) = (finalCount + 1, segment.end)
        case .gap(let gap) where gap.reason == .overrun:
            warning("\(OneDecimal.text(gap.lost)) s of audio lost at \(Timestamp.clock(gap.clock))")
        case .language(let code, let probability, _):
            let percent = Int((100 * probability).rounded())
            note("language: \(Language.name(ofCode: code)) (\(code), \(percent)%); --language sets it")
        default: break
        }
        switch form {
        case .json(var json):
            let line = json.line(for: update)
            form = .json(json)
            if let line { write(TerminalText(line)) }
        case .lines(var lines):
            let text = lines.lines(for: update)
            form = .lines(lines)
            write(text)
        case .screen(var screen):
            switch update {
            case .final(let segment):
                screen.append(
                    segment.text, utterance: segment.utterance, lead: timestamp(of: segment),
                    speaker: speaker(of: segment))
            case .volatile(let segment):
                screen.show(
                    volatile: segment?.text, utterance: segment?.utterance ?? 0, lead: segment.map(timestamp) ?? "")
            default: return
            }
            form = .screen(screen)
            redraw()
        }
    }

    /// Updates the status line and redraws.
    func update(_ status: SessionStatus, hasKeys: Bool) {
        let isShown = style.showsStatus && !style.isQuiet && streams.errorIsTerminal
        self.status = isShown ? LiveStatusLine(status: status, hasKeys: hasKeys).text : ""
        if case .screen(var screen) = form, !status.speech, status.decoded >= finalEnd {
            screen.endLine()
            form = .screen(screen)
        }
        redraw()
    }

    /// Redraws at once, after the terminal was resized or another program wrote to it.
    func refresh() {
        lastRedraw = nil
        redraw()
    }

    /// The terminal supports synchronized output.
    func synchronize() {
        guard case .screen(var screen) = form else { return }
        screen.synchronizes = true
        form = .screen(screen)
    }

    /// Removes the live region until the next redraw, after writing all final text.
    func leave() {
        if case .screen(var screen) = form {
            write(screen.leave(size: size))
            form = .screen(screen)
        }
        hideStatusLine()
    }

    /// Prints the unfinished utterance, or JSON's last line.
    func close(_ status: SessionStatus) {
        self.status = ""
        leave()
        switch form {
        case .screen: break
        case .lines(var lines): write(lines.finish())
        case .json(let json): write(TerminalText(json.closing(status)))
        }
    }

    // MARK: Messages

    func note(_ text: String) { if !style.isQuiet { printMessage(text) } }
    func warning(_ text: String) { note("warning: \(text)") }
    func detail(_ text: String) { if style.isVerbose { printMessage(text) } }

    private func printMessage(_ text: String) {
        if sharesTerminal, case .screen(var screen) = form {
            screen.append(message: text)
            form = .screen(screen)
            return refresh()
        }
        if streams.errorIsTerminal { leave() }
        streams.writeError("\(text)\n")
    }

    // MARK: Drawing

    private func timestamp(of segment: TranscriptSegment) -> String {
        style.showsTimestamps ? "[\(Timestamp(seconds: segment.start).vtt)]  " : ""
    }

    private func speaker(of segment: TranscriptSegment) -> LiveScreen.Speaker? {
        guard segment.speaker != nil else { return nil }
        let color = SpeakerColors.color(of: speakers.number(of: segment.speaker))
        let label = TerminalText(name: SpeakerLabel.prefix(segment)).safe
        return LiveScreen.Speaker(label: label, color: style.colorsSpeakers ? color : nil)
    }

    private var size: TerminalSize { Terminal.size(of: 1) ?? .unknown }

    private func redraw() {
        let now = ContinuousClock.now
        if let lastRedraw, now - lastRedraw < Self.minimumRedrawInterval { return }
        if case .screen(var screen) = form {
            if sharesTerminal { screen.show(status: status) }
            // In the background the terminal belongs to another program, but final text may still be written.
            let text = Terminal.isForeground(1) ? screen.redraw(size: size) : screen.leave(size: size)
            form = .screen(screen)
            if !text.isEmpty {
                lastRedraw = now
                write(text)
            }
            if sharesTerminal { return }
        }
        drawStatusLine(now)
    }

    private func drawStatusLine(_ now: ContinuousClock.Instant) {
        guard !status.isEmpty, let columns = Terminal.columns, columns > 1, Terminal.isForeground(2) else {
            return
        }
        lastRedraw = now
        isStatusLineShown = true
        let text = TerminalText(line: DisplayWidth.head(of: status, columns: columns - 1))
        streams.writeError("\r" + (style.dimsStatus ? "\u{1b}[2m\(text)\u{1b}[22m" : text) + "\u{1b}[K")
    }

    private func hideStatusLine() {
        if isStatusLineShown { streams.writeError("\r\u{1b}[K") }
        isStatusLineShown = false
    }

    private func write(_ text: TerminalText) {
        guard !text.isEmpty, !isOutputLost else { return }
        hideStatusLine()
        do {
            try streams.writeOutput(text)
            isOutputLost = streams.isReaderGone
        } catch {
            failure = error
            isOutputLost = true
        }
        if isOutputLost { onOutputLost() }
    }
}
