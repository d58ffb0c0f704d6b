import Synchronization

/// Updates on their way to a reader that may be slow: finals wait without limit, of volatile texts and of statuses only
/// the newest does. Finals go before the volatile text that came after them.
package final class UpdateQueue: Sendable {
    private struct State {
        var ordered: [TranscriptUpdate] = []
        var next = 0
        /// The newest volatile update that was not read yet.
        var volatile: TranscriptUpdate?
        var status: TranscriptUpdate?
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Void, Never>?

        mutating func take() -> TranscriptUpdate? {
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

    /// Ends the stream behind what waits; what is added afterwards is dropped.
    package func finish(_ end: Result<Void, any Error>) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.end == nil { state.end = end }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    /// The next update; `nil` at the end, or when the reading task is cancelled.
    package func next() async throws -> TranscriptUpdate? {
        while true {
            let found: Result<TranscriptUpdate?, any Error>? = state.withLock { state in
                if let update = state.take() { return .success(update) }
                return state.end?.map { nil }
            }
            if let found { return try found.get() }
            if Task.isCancelled { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isDue = state.withLock { state in
                        if state.next < state.ordered.count || state.volatile != nil || state.status != nil
                            || state.end != nil || Task.isCancelled || state.reader != nil
                        {
                            return true
                        }
                        state.reader = continuation
                        return false
                    }
                    if isDue { continuation.resume() }
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
