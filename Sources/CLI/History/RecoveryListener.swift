import Synchronization
import WhisperEngine

/// Hears what the recognition of saved sound tells: each segment is written down, then printed.
final class RecoveryListener: Sendable {
    private struct State {
        var count = 0
        var failure: (any Error)?
    }

    private let recovery: SessionRecovery
    private let screen: Screen
    private let work: Work
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(recovery: SessionRecovery, screen: Screen, work: Work) {
        self.recovery = recovery
        self.screen = screen
        self.work = work
    }

    /// Finals written down.
    var count: Int { state.withLock { $0.count } }

    /// Why there will be no more of them.
    var failure: (any Error)? { state.withLock { $0.failure } }

    func hear(_ update: TranscriptUpdate) {
        switch update {
        case .final(let segment): keep(segment)
        case .volatile(let segment):
            screen.show(volatile: (segment?.text ?? "").replacingControlCharacters(except: ["\t"]))
        case .progress(let progress):
            let elapsed = (ContinuousClock.now - start) / Duration.seconds(1)
            screen.show(
                progress: ProgressLine(position: progress.position, duration: progress.duration, elapsed: elapsed))
        default: break
        }
    }

    private func keep(_ segment: TranscriptSegment) {
        guard failure == nil else { return }
        do {
            guard let final = try recovery.append(segment) else { return }
            state.withLock { $0.count += 1 }
            let line = SegmentLine(
                showsTimestamps: true, colorsWords: false, forTerminal: screen.streams.outputIsTerminal)
            try screen.output(line.text(of: final))
        } catch {
            state.withLock { $0.failure = error }
            work.cancel()
        }
    }
}
