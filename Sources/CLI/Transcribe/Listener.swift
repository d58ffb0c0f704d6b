import Synchronization
import WhisperEngine

/// Hears what a recognition tells: prints segments as they become final, shows progress, and keeps what is final for
/// the case that the work ends early.
final class Listener: Sendable {
    private struct State {
        var finals: [TranscriptSegment] = []
        var position = 0.0
        var duration: Double?
        var language = "en"
        var failure: StreamError?
        var heardSilence = false
    }

    private let console: Console
    private let line: SegmentLine?
    /// Called once when standard output cannot be written or nobody reads it any more.
    private let onLostOutput: @Sendable () -> Void
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    /// - Parameter line: `nil` prints no segments.
    init(
        console: Console, line: SegmentLine?, language: String?, duration: Double?,
        onLostOutput: @escaping @Sendable () -> Void
    ) {
        self.console = console
        self.line = line
        self.onLostOutput = onLostOutput
        state = Mutex(State(duration: duration, language: language ?? "en"))
        console.show(progress: ProgressLine(position: 0, duration: duration, elapsed: 0))
    }

    func hear(_ update: TranscriptUpdate) {
        switch update {
        case .final(let segment):
            state.withLock { $0.finals.append(segment) }
            print(segment)
        case .volatile(let segment):
            console.show(volatile: SegmentLine.harmless(segment?.text ?? ""))
        case .progress(let progress):
            state.withLock { ($0.position, $0.duration) = (progress.position, progress.duration) }
            console.show(
                progress: ProgressLine(position: progress.position, duration: progress.duration, elapsed: elapsed))
        case .language(let found):
            state.withLock { $0.language = found.code }
            let name = Language.all.first { $0.code == found.code }?.name ?? found.code
            let percent = Int((100 * found.probability).rounded())
            console.note("language: \(name) (\(found.code), \(percent)%); --language sets it")
        case .event(let event):
            if event == .silence { state.withLock { $0.heardSilence = true } }
            console.detail(event.detail)
        case .status, .gap: break
        }
    }

    /// Why standard output was lost.
    var failure: StreamError? { state.withLock { $0.failure } }

    /// The recording is nothing but silence.
    var heardSilence: Bool { state.withLock { $0.heardSilence } }

    /// `12:31 of 60:00`, or `12:31`.
    var place: String {
        state.withLock { state in
            TimeSyntax.clock(state.position) + (state.duration.map { " of \(TimeSyntax.clock($0))" } ?? "")
        }
    }

    /// What is final so far.
    var transcript: Transcript {
        state.withLock { state in
            Transcript(
                text: state.finals.map(\.text).joined(), language: state.language, duration: state.position,
                segments: state.finals)
        }
    }

    /// Seconds of work so far.
    var elapsed: Double {
        let time = (ContinuousClock.now - start).components
        return Double(time.seconds) + Double(time.attoseconds) / 1e18
    }

    private func print(_ segment: TranscriptSegment) {
        guard let line, failure == nil else { return }
        do {
            try console.output(line.text(of: segment))
            if console.streams.isReaderGone { onLostOutput() }
        } catch {
            state.withLock { $0.failure = error }
            onLostOutput()
        }
    }
}
