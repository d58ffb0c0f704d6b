import Synchronization

/// Standard output for the transcript and standard error for all else, with the progress line kept out of the way of
/// both. On anything but a terminal there is no progress line and no control sequence.
package final class Screen: Sendable {
    package let streams: StandardStreams
    /// Notes and warnings are said.
    private let isQuiet: Bool
    private let isVerbose: Bool
    private let showsProgress: Bool
    private let styled: Bool
    private let state = Mutex(State())

    private struct State {
        var isShown = false
        var lastDrawn: ContinuousClock.Instant?
        var progress: ProgressLine?
        var volatile = ""
    }

    package init(
        streams: StandardStreams, environment: ProcessEnvironment, quiet: Bool, verbose: Bool, progress: Bool,
        color: ColorChoice
    ) {
        self.streams = streams
        isQuiet = quiet
        isVerbose = verbose
        showsProgress = progress && !quiet && streams.errorIsTerminal && !ColorChoice.isDumb(environment)
        styled = color.isOn(onTerminal: streams.errorIsTerminal, environment: environment)
    }

    /// A line or more of the transcript.
    package func output(_ text: String) throws(StreamError) {
        hideProgress()
        try streams.writeOutput(text)
    }

    /// Something good to know; silent with `--quiet`.
    package func note(_ text: String) {
        if !isQuiet { say(text) }
    }

    /// Something only said with `--verbose`.
    package func detail(_ text: String) {
        if isVerbose { say(text) }
    }

    package func warning(_ text: String) { note("warning: \(text)") }

    package func report(_ error: ErrorReport) {
        hideProgress()
        streams.writeError(error.text)
    }

    package func show(progress: ProgressLine) {
        redraw { $0.progress = progress }
    }

    package func show(volatile text: String) {
        redraw { $0.volatile = text }
    }

    /// Takes the progress line away until the next `show`.
    package func hideProgress() {
        let wasShown = state.withLock { state in
            defer { state.isShown = false }
            return state.isShown
        }
        if wasShown { streams.writeError("\r\u{1b}[K") }
    }

    private func say(_ text: String) {
        hideProgress()
        streams.writeError(text + "\n")
    }

    /// Ten times a second at most.
    private func redraw(_ change: (inout State) -> Void) {
        guard showsProgress else { return }
        let now = ContinuousClock.now
        let progress = state.withLock { state -> (ProgressLine, String)? in
            change(&state)
            if let last = state.lastDrawn, last + .milliseconds(100) > now { return nil }
            guard let progress = state.progress else { return nil }
            state.lastDrawn = now
            return (progress, state.volatile)
        }
        guard let (line, volatile) = progress, let columns = TerminalDevice.columns,
            let text = line.line(columns: columns, volatile: volatile, styled: styled)
        else { return }
        streams.writeError("\r\(text)\u{1b}[K")
        state.withLock { $0.isShown = true }
    }
}
