import WhisperEngine

/// What `dictate` shows: its line on standard error, where that is a terminal, and texts on standard output.
///
/// Has a thread of its own: a terminal that is held stops it and nothing else.
actor DictateDisplay {
    private let executor = ComputeExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    private let streams: StandardStreams
    private let showsLine: Bool
    private let isQuiet: Bool
    private let styled: Bool
    private var last = ""
    private var volatile = ""
    private var keys = DictateLine.Keys.none

    init(_ options: DictateOptions, context: CommandContext) {
        streams = context.streams
        isQuiet = options.verbosity == .quiet
        showsLine = context.streams.errorIsTerminal && !isQuiet && !ColorChoice.isDumb(context.environment)
        styled = options.color.isOn(onTerminal: context.streams.errorIsTerminal, environment: context.environment)
    }

    func show(keys: DictateLine.Keys) { self.keys = keys }
    func show(volatile: String) { self.volatile = volatile }

    /// - Parameter time: seconds by any clock that goes on.
    func draw(_ phase: PushToTalk.Phase, level: Double?, at time: Double) {
        guard showsLine, TerminalDevice.isInFront(2), let columns = TerminalDevice.columns, columns > 1 else { return }
        var line = DictateLine(phase: phase)
        (line.level, line.volatile, line.keys, line.styled) = (level, volatile, keys, styled)
        let text = line.text(columns: columns, at: time)
        guard text != last else { return }
        last = text
        streams.writeError("\r\(text)\u{1b}[K")
    }

    /// A text, with its line feed.
    func deliver(_ text: String) throws(StreamError) {
        hide()
        try streams.writeOutput(text + "\n")
    }

    func ring() {
        if showsLine { streams.writeError("\u{7}") }
    }

    /// What the line shows where there is one.
    func tell(_ text: String) { if !showsLine { warning(text) } }

    func warning(_ text: String) {
        guard !isQuiet else { return }
        hide()
        streams.writeError("warning: \(text)\n")
    }

    /// Takes the line away until it is drawn again.
    func hide() {
        if !last.isEmpty { streams.writeError("\r\u{1b}[K") }
        last = ""
    }
}
