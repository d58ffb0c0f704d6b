import Synchronization

/// A pause between two looks at a device, which ends early when shorter ones are asked for.
package final class CaptureRest: Sendable {
    private struct State {
        var interval: Duration
        var sleep: Task<Void, Never>?
    }

    private let state: Mutex<State>

    package init(_ interval: Duration) { state = Mutex(State(interval: interval)) }

    package var interval: Duration {
        get { state.withLock(\.interval) }
        set {
            state.withLock { state in
                if newValue < state.interval { state.sleep?.cancel() }
                state.interval = newValue
            }
        }
    }

    /// - Throws: when the task is cancelled.
    package func sleep() async throws {
        let sleep = state.withLock { state in
            let sleep = Task { [interval = state.interval] in _ = try? await Task.sleep(for: interval) }
            state.sleep = sleep
            return sleep
        }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        try Task.checkCancellation()
    }
}
