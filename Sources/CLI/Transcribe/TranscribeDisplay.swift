import Synchronization
import WhisperEngine

/// Displays the updates of a transcription: prints segments as they become final and shows the progress. Also keeps the
/// finals in case the transcription ends early.
final class TranscribeDisplay: Sendable {
    private struct State {
        var finals: [TranscriptSegment] = []
        /// In the order of their first segments.
        var speakers = SpeakerColors()
        var position = 0.0
        var duration: Double?
        var language = "en"
        var failure: StreamError?
        var isSilent = false
        /// The last one that was printed as a line.
        var percent = 0
    }

    private let console: Console
    private let line: SegmentLine?
    private let place: RunPlace?
    /// Seconds of audio that an earlier run recognized.
    private let resumed: Double
    private let printsProgress: Bool
    /// Whether the language is detected again and again.
    private let isMixed: Bool
    /// Called once when standard output cannot be written or its reader is gone.
    private let onLostOutput: @Sendable () -> Void
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    /// - Parameters:
    ///   - line: `nil` prints no segments.
    ///   - printsProgress: whether it is printed as whisper.cpp does, for programs that read it.
    init(
        console: Console, line: SegmentLine?, place: RunPlace? = nil, resumed: Double = 0,
        printsProgress: Bool = false, language: String?, isMixed: Bool, duration: Double?,
        onLostOutput: @escaping @Sendable () -> Void
    ) {
        self.console = console
        self.line = line
        (self.place, self.resumed, self.printsProgress) = (place, resumed, printsProgress)
        self.isMixed = isMixed
        self.onLostOutput = onLostOutput
        state = Mutex(State(duration: duration, language: language ?? "en"))
        console.show(progress: ProgressLine(position: resumed, duration: duration, elapsed: 0, place: place))
    }

    func show(_ update: TranscriptUpdate) {
        switch update {
        case .final(let segment):
            state.withLock { $0.finals.append(segment) }
            print(segment)
        case .volatile(let segment):
            console.show(volatile: segment?.text ?? "")
        case .progress(let position, let duration):
            state.withLock { ($0.position, $0.duration) = (position, duration) }
            if printsProgress { print(position, of: duration) }
            console.show(
                progress: ProgressLine(
                    position: position, duration: duration, elapsed: elapsed, place: place, start: resumed))
        case .language(let code, let probability, let speaker):
            state.withLock { $0.language = code }
            let percent = Int((100 * probability).rounded())
            console.note(
                "\(Self.prefix(speaker))detected language: \(Language.name(ofCode: code)) (\(code), \(percent)%)"
                    + (isMixed ? "" : "; use --language to set it"))
        case .event(let event):
            if case .findingSpeakers(let share) = event.window {
                return console.show(progress: SpeakerProgress(share: share, elapsed: elapsed))
            }
            if case .heard = event.window { return }
            if event.window == .silence { state.withLock { $0.isSilent = true } }
            console.detail(Self.prefix(event.speaker) + event.description)
        case .status, .gap: break
        }
    }

    /// Names the speaker whose channel a message is about.
    private static func prefix(_ speaker: String?) -> String { speaker.map { "\($0): " } ?? "" }

    /// Why standard output was lost.
    var failure: StreamError? { state.withLock { $0.failure } }

    /// Whether the whole recording is silent.
    var isSilent: Bool { state.withLock { $0.isSilent } }

    /// `12:31 of 60:00`, or `12:31`.
    var position: String {
        state.withLock { state in
            Timestamp.clock(state.position) + (state.duration.map { " of \(Timestamp.clock($0))" } ?? "")
        }
    }

    /// The finals so far.
    var transcript: Transcript {
        state.withLock { state in
            Transcript(
                text: state.finals.map(\.text).joined(), language: state.language, duration: state.position,
                segments: state.finals)
        }
    }

    /// Seconds since the start.
    var elapsed: Double {
        let time = (ContinuousClock.now - start).components
        return Double(time.seconds) + Double(time.attoseconds) / 1e18
    }

    /// Prints that everything has been transcribed, if the progress is printed as lines.
    func showEnd() { if printsProgress { print(1, of: 1) } }

    /// Prints the progress in steps of five percent.
    private func print(_ position: Double, of duration: Double?) {
        guard let duration, duration > 0 else { return }
        let percent = max(0, min(100, Int(100 * position / duration))) / 5 * 5
        let isNew = state.withLock { state in
            defer { state.percent = max(state.percent, percent) }
            return percent > state.percent
        }
        guard isNew else { return }
        let digits = "\(percent)"
        let padding = String(repeating: " ", count: 3 - digits.count)
        console.streams.writeError("whisper_print_progress_callback: progress = \(padding)\(digits)%\n")
    }

    private func print(_ segment: TranscriptSegment) {
        guard let line, failure == nil else { return }
        let speaker = state.withLock { $0.speakers.number(of: segment.speaker) }
        do {
            try console.output(line.text(of: segment, speaker: speaker))
            if console.streams.isReaderGone { onLostOutput() }
        } catch {
            state.withLock { $0.failure = error }
            onLostOutput()
        }
    }
}
