/// Turns sound that comes as it is spoken into volatile and final text, for hours.
///
/// Finals are only ever added and never change. Time is counted in samples accepted, never by a wall clock, so pauses
/// and lost sound take none. Giving sound never waits for recognition; what is not decoded yet waits in memory, then in
/// a file. With a journal a final is written down before it is shown.
public actor StreamingSession {
    public nonisolated let id: SessionID
    /// What happens, for one reader. Finals wait for a slow reader, of volatile texts only the newest does. Ends with
    /// the session.
    public nonisolated let updates: AsyncThrowingStream<TranscriptUpdate, any Error>

    private nonisolated let inbox: SessionInbox
    private nonisolated let outbox: UpdateQueue
    private nonisolated let executor = ComputeExecutor()
    private let journal: (any SessionJournal)?
    private var isOver = false

    /// Recognition keeps its thread busy, so it has one of its own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameters:
    ///   - detector: tells speech from silence; `nil` takes all sound for speech.
    ///   - journal: where finals are written down before they are shown.
    ///   - start: where an earlier run of the session ended.
    /// - Throws: `StreamingError` for options out of range.
    public init(
        _ recognizer: Recognizer, options: StreamingOptions = StreamingOptions(),
        detector: (any VoiceActivityDetector)? = nil, journal: (any SessionJournal)? = nil,
        start: SessionStart = SessionStart()
    ) throws {
        try options.validate()
        id = start.id
        self.journal = journal
        inbox = SessionInbox(clock: start.clock)
        let outbox = UpdateQueue()
        self.outbox = outbox
        updates = AsyncThrowingStream(unfolding: { try await outbox.next() })
    }

    /// How the session is doing now.
    public nonisolated var status: SessionStatus { inbox.status }

    /// Hears a source to its end, or until `stop` or `cancel`; all that was heard is final when this returns.
    ///
    /// - Throws: what the source throws, and what `stop` throws.
    public nonisolated func run(_ source: some CaptureSource) async throws {
        inbox.setSource(source)
        defer { inbox.setSource(nil) }
        var failure: (any Error)?
        do {
            for try await event in source.events() {
                switch event {
                case .samples(let samples): try feed(samples)
                case .overrun(let lost): overrun(lostSamples: lost)
                case .deviceLost: deviceLost()
                case .deviceBack: deviceBack()
                case .stalled: outbox.add(.status(inbox.status))
                }
                if inbox.isCancelled { break }
            }
        } catch {
            failure = error
        }
        try await end()
        if let failure { throw failure }
    }

    /// Accepts the next samples, 16 kHz mono. What comes while the session is paused or over is not heard.
    ///
    /// - Throws: `StreamingError` where there is no room for more sound; what was accepted before is kept.
    public nonisolated func feed(_ samples: [Float]) throws {
        do {
            let accepted = try inbox.accept(samples)
            guard !accepted.isEmpty else { return }
            let second = AudioChunk.sampleRate
            if accepted.lowerBound / second != accepted.upperBound / second { outbox.add(.status(inbox.status)) }
        } catch {
            throw StreamingError.spoolFailed(
                reason: error.description, from: Double(inbox.clock) / Double(AudioChunk.sampleRate))
        }
        work()
    }

    /// The microphone went away: ends the open utterance. The clock stands still until sound comes again.
    public nonisolated func deviceLost() { note(.deviceLost) }

    public nonisolated func deviceBack() { note(.deviceBack) }

    /// So many samples were lost before they reached the session; they take no session time.
    public nonisolated func overrun(lostSamples: Int) { note(.overrun(lostSamples: lostSamples)) }

    /// Ends the open utterance and hears nothing until `resume`; the clock stands still.
    public nonisolated func pause() {
        inbox.source?.pause()
        note(.pause)
    }

    public nonisolated func resume() {
        inbox.source?.resume()
        note(.resume)
    }

    /// Ends the session: all that was heard becomes final, once. Further stops do nothing but wait for the end.
    ///
    /// - Throws: what ended the session before, `StreamingError.journalFailed` where finals could not be written.
    public nonisolated func stop() async throws {
        if let source = inbox.source {
            source.stop()
            await inbox.sourceEnded()
        }
        try await end()
    }

    /// Ends the session without another pass: finals stay, the volatile text is dropped.
    public nonisolated func cancel() async {
        inbox.cancel()
        if let source = inbox.source {
            source.stop()
            await inbox.sourceEnded()
        }
        try? await end()
    }

    private nonisolated func note(_ event: SessionInbox.Event) {
        guard inbox.accept(event) else { return }
        outbox.add(.status(inbox.status))
        work()
    }

    /// Wakes the session's own thread unless it has been woken already.
    private nonisolated func work() {
        guard inbox.schedule() else { return }
        Task { await drain() }
    }

    private nonisolated func end() async throws {
        note(.stop)
        await drain()
    }

    /// Works through all that has come in.
    private func drain() {
        inbox.beginWork()
        while !isOver, let item = try? inbox.next(limit: AudioChunk.sampleRate) {
            switch item {
            case .samples: inbox.note(SessionInbox.Heard(decoded: inbox.clock))
            case .event(let event): handle(event)
            }
        }
    }

    private func handle(_ event: SessionInbox.Event) {
        guard event == .stop else { return }
        isOver = true
        inbox.setPhase(.stopped)
        outbox.add(.status(inbox.status))
        outbox.finish(.success(()))
    }
}
