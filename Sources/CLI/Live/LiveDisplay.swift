import WhisperEngine

/// Where a live transcript goes: a terminal that is redrawn, lines, or JSON on standard output; the status line and
/// messages on standard error.
///
/// Has a thread of its own: a terminal that is held (Ctrl-S) or a full pipe stops it and nothing else.
actor LiveDisplay {
    enum Form {
        case screen(LiveScreen), lines(LiveLines), json(LiveJSON)
    }

    struct Style: Sendable {
        var showsTimestamps = true
        var isQuiet = false
        var isVerbose = false
        /// The status line is shown where standard error is a terminal.
        var showsStatus = true
        /// The status line is dim on a terminal of its own.
        var dimsStatus = true
    }

    private let executor = ComputeExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    private let streams: StandardStreams
    private let style: Style
    private var form: Form
    /// Standard error is the terminal that the screen is drawn on.
    private let sharesTerminal: Bool
    /// Called once when standard output cannot be written or nobody reads it any more.
    private let onLostOutput: @Sendable () -> Void
    private var isLost = false
    private(set) var failure: StreamError?
    private var lastDrawn: ContinuousClock.Instant?
    private var status = ""
    /// The status line stands on standard error.
    private var showsStatusLine = false
    private(set) var finals = 0

    /// More often than this nobody can read.
    private static let interval = Duration.milliseconds(100)

    init(
        form: Form, style: Style, streams: StandardStreams, onLostOutput: @escaping @Sendable () -> Void
    ) {
        (self.form, self.style, self.streams, self.onLostOutput) = (form, style, streams, onLostOutput)
        if case .screen = form { sharesTerminal = TerminalDevice.areSame(1, 2) } else { sharesTerminal = false }
    }

    // MARK: The transcript

    /// The first line of JSON.
    func open(model: String, device: String?) {
        if case .json(let json) = form { write(json.opening(model: model, device: device)) }
    }

    func hear(_ update: TranscriptUpdate) {
        switch update {
        case .final: finals += 1
        case .gap(let gap) where gap.reason == .overrun:
            warning("\(ProgressLine.oneDecimal(gap.lost)) s of sound lost at \(TimeSyntax.clock(gap.clock))")
        case .language(let found):
            let name = Language.all.first { $0.code == found.code }?.name ?? found.code
            note("language: \(name) (\(found.code), \(Int((100 * found.probability).rounded()))%); --language sets it")
        default: break
        }
        switch form {
        case .json(var json):
            let line = json.line(for: update)
            form = .json(json)
            if let line { write(line) }
        case .lines(var lines):
            let text = lines.lines(for: update)
            form = .lines(lines)
            write(text)
        case .screen(var screen):
            switch update {
            case .final(let segment):
                screen.append(segment.text, utterance: segment.utterance, lead: lead(segment))
            case .volatile(let segment):
                screen.show(
                    volatile: segment?.text, utterance: segment?.utterance ?? 0, lead: segment.map(lead) ?? "")
            default: return
            }
            form = .screen(screen)
            redraw()
        }
    }

    /// Brings the screen and the status line up to date.
    func tick(_ status: SessionStatus, hasKeys: Bool) {
        let isShown = style.showsStatus && !style.isQuiet && streams.errorIsTerminal
        self.status = isShown ? LiveStatusLine(status: status, hasKeys: hasKeys).text : ""
        redraw()
    }

    /// Draws anew where the terminal's size or what stands on it changed.
    func refresh() {
        lastDrawn = nil
        redraw()
    }

    /// The terminal tells that it draws a marked change at once.
    func synchronize() {
        guard case .screen(var screen) = form else { return }
        screen.synchronizes = true
        form = .screen(screen)
    }

    /// The live region goes away, until the next redraw, with all that is final written.
    func leave() {
        if case .screen(var screen) = form {
            write(screen.leave(size: size))
            form = .screen(screen)
        }
        hideStatusLine()
    }

    /// Writes what is open still, and the last line of JSON.
    func close(_ status: SessionStatus) {
        self.status = ""
        leave()
        switch form {
        case .screen: break
        case .lines(var lines): write(lines.finish())
        case .json(let json): write(json.closing(status))
        }
    }

    // MARK: Messages

    func note(_ text: String) { if !style.isQuiet { say(text) } }
    func warning(_ text: String) { note("warning: \(text)") }
    func detail(_ text: String) { if style.isVerbose { say(text) } }

    private func say(_ text: String) {
        if streams.errorIsTerminal { leave() }
        streams.writeError(text + "\n")
    }

    // MARK: -

    private func lead(_ segment: TranscriptSegment) -> String {
        style.showsTimestamps ? "[\(Timestamp(seconds: segment.start).vtt)]  " : ""
    }

    private var size: TerminalSize { TerminalDevice.size(of: 1) ?? .unknown }

    /// Ten times a second at most.
    private func redraw() {
        let now = ContinuousClock.now
        if let lastDrawn, now - lastDrawn < Self.interval { return }
        if case .screen(var screen) = form {
            if sharesTerminal { screen.show(status: status) }
            // In the background the terminal belongs to another program; what is final may be written all the same.
            let text = TerminalDevice.isInFront(1) ? screen.redraw(size: size) : screen.leave(size: size)
            form = .screen(screen)
            if !text.isEmpty {
                lastDrawn = now
                write(text)
            }
            if sharesTerminal { return }
        }
        drawStatusLine(now)
    }

    private func drawStatusLine(_ now: ContinuousClock.Instant) {
        guard !status.isEmpty, let columns = TerminalDevice.columns, columns > 1, TerminalDevice.isInFront(2) else {
            return
        }
        lastDrawn = now
        showsStatusLine = true
        let text = DisplayWidth.head(of: status, columns: columns - 1)
        streams.writeError("\r" + (style.dimsStatus ? "\u{1b}[2m\(text)\u{1b}[22m" : text) + "\u{1b}[K")
    }

    private func hideStatusLine() {
        if showsStatusLine { streams.writeError("\r\u{1b}[K") }
        showsStatusLine = false
    }

    private func write(_ text: String) {
        guard !text.isEmpty, !isLost else { return }
        hideStatusLine()
        do {
            try streams.writeOutput(text)
            isLost = streams.isReaderGone
        } catch {
            failure = error
            isLost = true
        }
        if isLost { onLostOutput() }
    }
}
