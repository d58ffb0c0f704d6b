import Synchronization
package import WhisperEngine

/// Writes the transcript to standard output and everything else to standard error, and keeps the progress line out of
/// the way of both. If standard error is not a terminal there is no progress line and no control sequence.
///
/// Recordings that are transcribed at the same time have a console each, and show what they have to say one after another.
package final class Console: Sendable {
    package let streams: StandardStreams
    private let verbosity: Verbosity
    private let showsProgress: Bool
    private let styled: Bool
    private let state = Mutex(State())

    /// Minimum interval between redraws of the progress line.
    private static let interval = Duration.milliseconds(100)

    private struct State {
        var isShown = false
        var lastDrawn: ContinuousClock.Instant?
        var progress: (any ProgressText)?
        var volatile = ""
        /// What is written at its turn; `nil` from then on.
        var held: [Held]?
    }

    private enum Held {
        case output(TerminalText)
        case error(TerminalText)
    }

    package init(
        streams: StandardStreams, environment: ProcessEnvironment, verbosity: Verbosity, progress: Bool,
        color: ColorChoice
    ) {
        self.streams = streams
        self.verbosity = verbosity
        showsProgress = progress && verbosity != .quiet && streams.errorIsTerminal && !Terminal.isDumb(environment)
        styled = color.isOn(onTerminal: streams.errorIsTerminal, environment: environment)
    }

    private init(waitingFor other: Console) {
        streams = other.streams
        verbosity = other.verbosity
        showsProgress = other.showsProgress
        styled = other.styled
        state.withLock { $0.held = [] }
    }

    /// Another console like this one, which writes nothing before its turn.
    func waiting() -> Console { Console(waitingFor: self) }

    /// Writes what has been held, and the rest as it comes.
    func takeTurn() throws(StreamError) {
        while let held = state.withLock({ state in
            defer { state.held = state.held?.isEmpty == false ? [] : nil }
            return state.held
        }), !held.isEmpty {
            for text in held {
                switch text {
                case .output(let text): try streams.writeOutput(text)
                case .error(let text): streams.writeError(text)
                }
            }
        }
    }

    /// Whether the text has to wait.
    private func holds(_ text: Held) -> Bool {
        state.withLock { state in
            state.held?.append(text)
            return state.held != nil
        }
    }

    /// Writes transcript text to standard output.
    package func output(_ text: TerminalText) throws(StreamError) {
        if holds(.output(text)) { return }
        hideProgress()
        try streams.writeOutput(text)
    }

    /// Writes a line to standard error, unless `--quiet` is given.
    package func note(_ text: String) {
        if verbosity != .quiet { writeLine(text) }
    }

    /// Writes a line to standard error if `--verbose` is given.
    package func detail(_ text: String) {
        if verbosity == .verbose { writeLine(text) }
    }

    package func warning(_ text: String) { note("warning: \(text)") }

    package func report(_ error: ErrorReport) {
        write(TerminalText(error.text))
    }

    package func show(progress: any ProgressText) {
        redraw { $0.progress = progress }
    }

    package func show(volatile text: String) {
        redraw { $0.volatile = text }
    }

    /// Erases the progress line until the next `show`.
    package func hideProgress() {
        let wasShown = state.withLock { state in
            defer { state.isShown = false }
            return state.isShown
        }
        if wasShown { streams.writeError("\r\u{1b}[K") }
    }

    private func writeLine(_ text: String) {
        write("\(text)\n")
    }

    private func write(_ text: TerminalText) {
        if holds(.error(text)) { return }
        hideProgress()
        streams.writeError(text)
    }

    private func redraw(_ change: (inout State) -> Void) {
        guard showsProgress else { return }
        let now = ContinuousClock.now
        let progress = state.withLock { state -> (any ProgressText, String)? in
            change(&state)
            guard state.held == nil else { return nil }
            if let last = state.lastDrawn, last + Self.interval > now { return nil }
            guard let progress = state.progress else { return nil }
            state.lastDrawn = now
            return (progress, state.volatile)
        }
        guard let (line, volatile) = progress, let columns = Terminal.columns,
            let text = line.line(columns: columns, volatile: volatile, styled: styled)
        else { return }
        streams.writeError("\r\(text)\u{1b}[K")
        state.withLock { $0.isShown = true }
    }
}

/// A text for the progress line.
package protocol ProgressText: Sendable {
    var text: String { get }
}

/// The progress of a transcription: position, speed as a multiple of real time, time left.
package struct ProgressLine: ProgressText, Equatable {
    /// Seconds of audio recognized so far.
    package var position: Double
    /// Seconds of audio in total; `nil` while unknown.
    package var duration: Double?
    /// Seconds since the start.
    package var elapsed: Double

    /// Of the recording in a run of several.
    package var place: RunPlace?
    /// Seconds of audio that an earlier run recognized.
    package var start: Double

    package init(position: Double, duration: Double?, elapsed: Double, place: RunPlace? = nil, start: Double = 0) {
        (self.place, self.start) = (place, start)
        self.position = position
        self.duration = duration
        self.elapsed = elapsed
    }

    /// `12:31 of 60:00 (20%), 8.3 times real time, 5:43 left`, or in a run of several recordings
    /// `file 3 of 12, 12:31 of 60:00 (20%), 5:43 left, 1:02:10 for all, 8.3 times real time`.
    package var text: String {
        var parts = [Timestamp.clock(position)]
        if let duration, duration > 0 {
            let share = max(0, min(100, Int(100 * position / duration)))
            parts[0] += " of \(Timestamp.clock(duration)) (\(share)%)"
        }
        if let place { parts.insert("file \(place.number) of \(place.count)", at: 0) }
        guard elapsed > 0.5, position > start else { return parts.joined(separator: ", ") }
        let speed = (position - start) / elapsed
        parts.append("\(OneDecimal.text(speed)) times real time")
        guard let duration, duration > position else { return parts.joined(separator: ", ") }
        parts.append("\(Timestamp.clock((duration - position) / speed)) left")
        if let place, let left = place.secondsLeft(share: position / duration, elapsed: elapsed) {
            parts.append("\(Timestamp.clock(left)) for all")
            // Terminals may have no room for the whole line.
            parts.append(parts.remove(at: parts.count - 3))
        }
        return parts.joined(separator: ", ")
    }
}

/// The place of a recording in a run of several, and how long the run will take.
package struct RunPlace: Sendable, Equatable {
    /// From 1.
    package let number: Int
    package let count: Int
    /// Seconds of the run before it was begun.
    let elapsed: Double
    /// Bytes of the recordings before it that took time, of this one, and of those after it.
    let before: Double
    let own: Double
    let after: Double

    package init(number: Int, count: Int, elapsed: Double, before: Double, own: Double, after: Double) {
        (self.number, self.count, self.elapsed) = (number, count, elapsed)
        (self.before, self.own, self.after) = (before, own, after)
    }

    /// An estimate by the sizes of the recordings: their lengths are unknown until they are opened.
    ///
    /// - Parameters:
    ///   - share: of this recording that is done.
    ///   - elapsed: seconds that it took.
    func secondsLeft(share: Double, elapsed: Double) -> Double? {
        let done = before + own * share
        return done > 0 && after > 0 ? (own * (1 - share) + after) * (self.elapsed + elapsed) / done : nil
    }
}

extension ProgressText {
    /// The line for a terminal with this many columns, followed by as much of the end of `volatile` as fits; `nil` if
    /// the terminal is too narrow for any line.
    package func line(columns: Int, volatile: String, styled: Bool) -> TerminalText? {
        guard columns >= 8 else { return nil }
        // The last column stays free: some terminals wrap the line there.
        let head = DisplayWidth.head(of: text, columns: columns - 1)
        let room = columns - 1 - DisplayWidth.columns(of: head) - 2
        guard !volatile.isEmpty, room >= 12 else { return TerminalText(line: head) }
        let words = String(ScreenCell.cells(of: volatile).map(\.character))
        let tail = TerminalText(line: DisplayWidth.tail(of: words, columns: room))
        return "\(head)  " + (styled ? "\u{1b}[2m\(tail)\u{1b}[22m" : tail)
    }
}
