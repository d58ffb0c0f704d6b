import Synchronization

/// Polls the channel for what the capture thread has written. Polling at intervals keeps wake-ups, the main cost of
/// silence, rare.
actor CapturePoller {
    private let channel: CaptureChannel
    private let timer: PollTimer
    /// Starts the capture thread.
    private let start: @Sendable () throws(CaptureError) -> Void
    private var isStarted = false
    private var isAtEnd = false
    private var stopping = Duration.zero

    /// How long to wait for the capture thread after `stop`; a thread that hangs in its device is then abandoned.
    private static let stopTimeout = Duration.seconds(2)

    init(
        _ channel: CaptureChannel, timer: PollTimer, start: @escaping @Sendable () throws(CaptureError) -> Void
    ) {
        self.channel = channel
        self.timer = timer
        self.start = start
    }

    deinit { channel.control.stop() }

    func next() async throws -> CaptureEvent? {
        guard !isAtEnd else { return nil }
        do {
            if !isStarted {
                isStarted = true
                try start()
            }
            if let event = try await poll() { return event }
        } catch {
            finish()
            throw Task.isCancelled ? CancellationError() : error
        }
        finish()
        return nil
    }

    private func poll() async throws -> CaptureEvent? {
        var hasSlept = false
        while true {
            try Task.checkCancellation()
            // Read the ending before the events: nothing follows it.
            let ending = channel.ending
            let takesAll = hasSlept || ending != nil || channel.control.isStopped
            let minSamples = takesAll ? 1 : Int(timer.interval / .seconds(1) * Double(AudioChunk.sampleRate))
            if let event = channel.next(minSamples: minSamples) { return event }
            switch ending {
            case .stopped?: return nil
            case .failed(let error)?: throw error
            case nil: break
            }
            if channel.control.isStopped {
                guard stopping < Self.stopTimeout else { return nil }
                stopping += .milliseconds(10)
                try await Task.sleep(for: .milliseconds(10))
            } else {
                try await timer.sleep()
                hasSlept = true
            }
        }
    }

    private func finish() {
        isAtEnd = true
        channel.control.stop()
    }
}

/// Sleeps between two polls; ends early when the interval is shortened.
package final class PollTimer: Sendable {
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

    /// Sleeps for the interval.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
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
