import Synchronization
package import EngineTranscripts

/// A queue of updates for one reader, which may be slow. It keeps all finals, but only the newest volatile text and the
/// newest status. Finals come before any volatile text that follows them.
package final class UpdateQueue: Sendable {
    private struct State {
        var ordered: [TranscriptUpdate] = []
        /// Index of the next unread element of `ordered`.
        var next = 0
        /// The newest unread volatile update.
        var volatile: TranscriptUpdate?
        var status: TranscriptUpdate?
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Void, Never>?

        mutating func popNext() -> TranscriptUpdate? {
            if next < ordered.count {
                defer {
                    next += 1
                    if next == ordered.count { (ordered, next) = ([], 0) }
                }
                return ordered[next]
            }
            if let update = volatile {
                volatile = nil
                return update
            }
            defer { status = nil }
            return status
        }
    }

    private let state = Mutex(State())

    package init() {}

    package func add(_ update: TranscriptUpdate) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            switch update {
            case .volatile: state.volatile = update
            case .status: state.status = update
            case .final:
                state.volatile = nil
                state.ordered.append(update)
            case .progress, .language, .event, .gap: state.ordered.append(update)
            }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    /// Ends the stream after the queued updates; later ones are dropped.
    package func finish(_ end: Result<Void, any Error>) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.end == nil { state.end = end }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    /// Returns the next update, waiting for one if necessary, or `nil` at the end or when the reading task is cancelled.
    package func next() async throws -> TranscriptUpdate? {
        while true {
            let result: Result<TranscriptUpdate?, any Error>? = state.withLock { state in
                if let update = state.popNext() { return .success(update) }
                return state.end?.map { nil }
            }
            if let result { return try result.get() }
            if Task.isCancelled { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.next < state.ordered.count || state.volatile != nil || state.status != nil
                            || state.end != nil || Task.isCancelled || state.reader != nil
                        {
                            return true
                        }
                        state.reader = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                let reader = state.withLock { state in
                    defer { state.reader = nil }
                    return state.reader
                }
                reader?.resume()
            }
        }
    }
}
