import Synchronization
import WhisperEngine

/// The transcriptions at work, which a signal stops and a crash saves together.
final class RunningTranscriptions: Sendable {
    private struct Work {
        let cancel: @Sendable () -> Void
        let save: @Sendable () -> Void
    }

    private struct State {
        var works: [Int: Work] = [:]
        var count = 0
        var isCancelled = false
    }

    private let signals: Signals
    private let state = Mutex(State())

    init(_ signals: Signals) {
        self.signals = signals
    }

    /// Adds a transcription, and cancels it if the others have been.
    ///
    /// - Returns: its number, for `remove`.
    func add(cancel: @escaping @Sendable () -> Void, save: @escaping @Sendable () -> Void) -> Int {
        signals.onInterrupt {
            self.cancel()
        } saveOnCrash: {
            AtomicFile.removeLeftovers()
            for work in self.state.withLock({ Array($0.works.values) }) { work.save() }
        }
        let (number, isCancelled) = state.withLock { state in
            state.count += 1
            state.works[state.count] = Work(cancel: cancel, save: save)
            return (state.count, state.isCancelled)
        }
        if isCancelled { cancel() }
        return number
    }

    func remove(_ number: Int) {
        let isLast = state.withLock { state in
            state.works[number] = nil
            return state.works.isEmpty
        }
        if isLast { signals.endWork() }
    }

    /// Cancels all, also those that have yet to be added.
    func cancel() {
        let works = state.withLock { state in
            state.isCancelled = true
            return Array(state.works.values)
        }
        for work in works { work.cancel() }
    }
}
