import EngineAudio
import EngineBasics
import EngineModels
import EngineTranscripts
import Synchronization

/// The input of a session that is not processed yet: audio, and events between two samples.
///
/// Capture never waits for the decoder: adding input holds a lock for microseconds.
final class SessionInbox: Sendable {
    enum Item: Sendable {
        case samples([Float])
        case event(Event)
    }

    enum Event: Sendable, Equatable {
        case pause, resume, deviceLost, deviceBack, endUtterance, stop
        case change(SessionChange)
        case overrun(lostSamples: Int)
    }

    private struct State: ~Copyable {
        var queue = SampleQueue()
        /// Events in order, each with the session clock at which it occurred.
        var events: [(clock: Int, event: Event)] = []
        /// Session clock after the accepted samples.
        var clock: Int
        /// Session clock at which an utterance was last ended.
        var utteranceEnd = -1
        /// Session clock after the samples handed to the session.
        var delivered: Int
        var phase = SessionStatus.State.idle
        var isPaused = false
        var isDeviceLost = false
        var isStopping = false
        var isScheduled = false
        var level = LevelMeter()
        var droppedSamples = 0
        var device: String?
        var progress = Progress()
        var failure: SampleStoreError?
        var source: (any CaptureSource)?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// How far the session has processed its input.
    struct Progress: Sendable {
        /// The sample up to which all audio is decoded or known to be silence.
        var decoded = 0
        var isSpeech = false
        /// Number of finals that are not stored yet.
        var unsaved = 0
        /// Why they are not stored.
        var saveProblem: String?
    }

    private let state: Mutex<State>
    private let cancellation: CancellationFlag
    init(clock: Int, cancellation: CancellationFlag) {
        self.cancellation = cancellation
        state = Mutex(State(clock: clock, delivered: clock, progress: Progress(decoded: clock)))
    }

    var isCancelled: Bool { cancellation.isSet }
    /// Whether all input has been accepted.
    var isStopping: Bool { state.withLock { $0.isStopping } }
    func cancel() { cancellation.set() }

    /// Accepts audio unless the session is paused or over.
    ///
    /// - Returns: the session clock before and after; empty if nothing was accepted.
    func accept(_ samples: [Float]) throws(SampleStoreError) -> Range<Int> {
        try state.withLock { state throws(SampleStoreError) in
            guard !state.isPaused, !state.isStopping else { return state.clock..<state.clock }
            if let failure = state.failure { throw failure }
            do throws(SampleStoreError) {
                try state.queue.append(samples)
            } catch {
                state.failure = error
                throw error
            }
            let before = state.clock
            state.clock += samples.count
            state.level.process(samples)
            if state.phase == .idle { state.phase = .listening }
            return before..<state.clock
        }
    }

    /// Accepts an event unless it has no effect, like a second pause, the end of an utterance without audio, or anything
    /// after a stop. Changes without audio between them become one.
    ///
    /// - Returns: whether the event was accepted.
    @discardableResult
    func accept(_ event: Event) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            switch event {
            case .pause:
                guard !state.isPaused else { return false }
                state.isPaused = true
                state.phase = .paused
            case .resume:
                guard state.isPaused else { return false }
                state.isPaused = false
                state.phase = state.isDeviceLost ? .paused : .listening
            case .deviceLost:
                guard !state.isDeviceLost else { return false }
                state.isDeviceLost = true
                state.phase = .paused
            case .deviceBack:
                guard state.isDeviceLost else { return false }
                state.isDeviceLost = false
                if !state.isPaused { state.phase = .listening }
            case .overrun(let lost):
                state.droppedSamples += max(0, lost)
            case .endUtterance:
                guard state.clock > state.utteranceEnd else { return false }
                state.utteranceEnd = state.clock
            case .change(let change):
                guard let last = state.events.last, last.clock == state.clock, case .change(var merged) = last.event
                else { break }
                merged.merge(change)
                state.events[state.events.count - 1].event = .change(merged)
                return true
            case .stop:
                state.isStopping = true
                state.phase = .draining
            }
            state.events.append((state.clock, event))
            return true
        }
    }

    /// Removes and returns the next item, audio limited to `limit` samples, or `nil` if there is none.
    func next(limit: Int) throws(SampleStoreError) -> Item? {
        try state.withLock { state throws(SampleStoreError) in
            let nextEvent = state.events.first?.clock ?? Int.max
            if nextEvent <= state.delivered { return .event(state.events.removeFirst().event) }
            let samples = try state.queue.removeFirst(upTo: min(limit, nextEvent - state.delivered))
            guard !samples.isEmpty else { return nil }
            state.delivered += samples.count
            return .samples(samples)
        }
    }

    /// Number of events that are accepted but not delivered.
    var eventCount: Int { state.withLock { $0.events.count } }
    /// Number of samples that are accepted but not delivered.
    var backlog: Int { state.withLock { $0.clock - $0.delivered } }
    var clock: Int { state.withLock { $0.clock } }

    /// Returns whether the caller must start the worker because it is not scheduled yet.
    func schedule() -> Bool {
        state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
    }

    func beginWork() { state.withLock { $0.isScheduled = false } }

    func update(_ progress: Progress) { state.withLock { $0.progress = progress } }

    func setPhase(_ phase: SessionStatus.State) { state.withLock { $0.phase = phase } }

    var status: SessionStatus {
        state.withLock { state in
            let second = Double(AudioChunk.sampleRate)
            let isBusy = state.progress.isSpeech || state.clock > state.delivered
            let lag = isBusy ? max(0, state.clock - state.progress.decoded) : 0
            return SessionStatus(
                state: state.phase, clock: Double(state.clock) / second,
                decoded: Double(state.progress.decoded) / second,
                lag: Double(lag) / second, levelDBFS: state.level.rms, speech: state.progress.isSpeech,
                droppedSamples: state.droppedSamples, device: state.device, unsaved: state.progress.unsaved,
                saveProblem: state.progress.saveProblem, isDeviceLost: state.isDeviceLost)
        }
    }
}

// MARK: - Source

extension SessionInbox {
    /// Sets the running source, or `nil` when it has ended.
    func setSource(_ source: (any CaptureSource)?) {
        let waiters = state.withLock { state in
            state.source = source
            if let source { state.device = source.device }
            defer { if source == nil { state.waiters = [] } }
            return source == nil ? state.waiters : []
        }
        for waiter in waiters { waiter.resume() }
    }

    var source: (any CaptureSource)? { state.withLock { $0.source } }

    /// Waits until no source is running.
    func sourceEnded() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.source != nil { state.waiters.append(continuation) }
                return state.source == nil
            }
            if hasEnded { continuation.resume() }
        }
    }
}
