import Synchronization

/// What a session was given and has not worked through: sound, and what happened between two samples of it.
///
/// Whoever captures never waits for the decoder: giving takes a lock for microseconds.
final class SessionInbox: Sendable {
    enum Item: Sendable {
        case samples([Float])
        case event(Event)
    }

    enum Event: Sendable, Equatable {
        case pause, resume, deviceLost, deviceBack, stop
        case overrun(lostSamples: Int)
    }

    private struct State: ~Copyable {
        var queue = SampleQueue()
        /// Events with the clock at which they stand, in order.
        var events: [(clock: Int, event: Event)] = []
        /// Samples accepted.
        var clock: Int
        /// Samples handed to the session.
        var taken: Int
        var phase = SessionStatus.State.idle
        var isPaused = false
        var isLost = false
        var isStopping = false
        var isScheduled = false
        var level = LevelMeter()
        var droppedSamples = 0
        var device: String?
        var heard = Heard()
        var failure: SampleStoreError?
        var source: (any CaptureSource)?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// How far the session has come.
    struct Heard: Sendable {
        /// Sample up to which sound is decoded or known to be silence.
        var decoded = 0
        var isSpeech = false
        var unsaved = 0
    }

    private let state: Mutex<State>
    private let cancellation: CancellationFlag
    init(clock: Int, cancellation: CancellationFlag) {
        self.cancellation = cancellation
        state = Mutex(State(clock: clock, taken: clock, heard: Heard(decoded: clock)))
    }

    var isCancelled: Bool { cancellation.isSet }
    func cancel() { cancellation.set() }

    /// Takes sound, unless the session is paused or over.
    ///
    /// - Returns: the clock before and after, where sound was taken.
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

    /// - Returns: whether it means anything now: nobody pauses twice, nothing happens after a stop.
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
                state.phase = state.isLost ? .paused : .listening
            case .deviceLost:
                guard !state.isLost else { return false }
                state.isLost = true
                state.phase = .paused
            case .deviceBack:
                guard state.isLost else { return false }
                state.isLost = false
                if !state.isPaused { state.phase = .listening }
            case .overrun(let lost):
                state.droppedSamples += max(0, lost)
            case .stop:
                state.isStopping = true
                state.phase = .draining
            }
            state.events.append((state.clock, event))
            return true
        }
    }

    /// The next item in order, at most `limit` samples of sound.
    func next(limit: Int) throws(SampleStoreError) -> Item? {
        try state.withLock { state throws(SampleStoreError) in
            let border = state.events.first?.clock ?? Int.max
            if border <= state.taken { return .event(state.events.removeFirst().event) }
            let samples = try state.queue.take(min(limit, border - state.taken))
            guard !samples.isEmpty else { return nil }
            state.taken += samples.count
            return .samples(samples)
        }
    }

    /// Samples accepted behind those handed out.
    var waiting: Int { state.withLock { $0.clock - $0.taken } }
    var clock: Int { state.withLock { $0.clock } }
    /// Whether sound could not be put aside.
    var failure: SampleStoreError? { state.withLock { $0.failure } }

    /// Whether the caller is to start the work: nobody has asked for it yet.
    func schedule() -> Bool {
        state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
    }

    func beginWork() { state.withLock { $0.isScheduled = false } }

    func note(_ heard: Heard) { state.withLock { $0.heard = heard } }

    func setPhase(_ phase: SessionStatus.State) { state.withLock { $0.phase = phase } }

    var status: SessionStatus {
        state.withLock { state in
            let second = Double(AudioChunk.sampleRate)
            let isBusy = state.heard.isSpeech || state.clock > state.taken
            let lag = isBusy ? max(0, state.clock - state.heard.decoded) : 0
            return SessionStatus(
                state: state.phase, clock: Double(state.clock) / second, decoded: Double(state.heard.decoded) / second,
                lag: Double(lag) / second, levelDBFS: state.level.rms, speech: state.heard.isSpeech,
                droppedSamples: state.droppedSamples, device: state.device, unsaved: state.heard.unsaved)
        }
    }
}

// MARK: - The source

extension SessionInbox {
    /// The source whose sound is coming in.
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

    /// Returns when no source is running.
    func sourceEnded() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.source != nil { state.waiters.append(continuation) }
                return state.source == nil
            }
            if isOver { continuation.resume() }
        }
    }
}
