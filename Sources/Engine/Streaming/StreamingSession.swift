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
    private let writer: FinalsWriter
    private var loop: LiveLoop
    private var isOver = false
    private var failure: (any Error)?
    private var hasStarted = false
    private var heardSpeech = false

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
        let stop = CancellationFlag()
        let decoder = NetworkLiveDecoder(
            recognizer.model, tokenizer: recognizer.tokenizer, options: options, cancellation: stop)
        try self.init(
            decoder: decoder, options: options, detector: detector, journal: journal, start: start, cancellation: stop)
    }

    /// A session over any decoder.
    ///
    /// - Parameter cancellation: what the decoder looks at between two tokens.
    package init(
        decoder: sending any LiveDecoder, options: StreamingOptions, detector: (any VoiceActivityDetector)? = nil,
        journal: (any SessionJournal)? = nil, start: SessionStart = SessionStart(),
        cancellation: CancellationFlag = CancellationFlag()
    ) throws {
        try options.validate()
        id = start.id
        inbox = SessionInbox(clock: start.clock, cancellation: cancellation)
        let outbox = UpdateQueue()
        self.outbox = outbox
        updates = AsyncThrowingStream(unfolding: { try await outbox.next() })
        let writer = FinalsWriter(journal: journal, outbox: outbox, showsUnsaved: options.showsUnsaved)
        self.writer = writer
        loop = LiveLoop(options: options, detector: detector, decoder: decoder, start: start) { writer.take($0) }
    }

    /// How the session is doing now.
    public nonisolated var status: SessionStatus { inbox.status }

    /// Hears a source to its end, or until `stop` or `cancel`; all that was heard is final when this returns.
    ///
    /// - Throws: what the source throws, and what `stop` throws.
    public nonisolated func run(_ source: some CaptureSource) async throws {
        source.setInterval(Self.silenceInterval)
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
        // What was heard becomes final even where the caller's own task is cancelled.
        try await Task { try await drainToEnd() }.value
    }

    private func drainToEnd() throws {
        drain()
        if let failure { throw failure }
    }

    /// Works through all that has come in.
    private func drain() {
        inbox.beginWork()
        while !isOver {
            do {
                guard let item = try inbox.next(limit: Self.blockSamples) else { break }
                try handle(item)
            } catch let error as SampleStoreError {
                finish(
                    throwing: StreamingError.spoolFailed(
                        reason: error.description, from: Double(loop.head) / Double(AudioChunk.sampleRate)))
            } catch {
                finish(throwing: error)
            }
        }
        if !isOver { writer.save() }
        noteProgress()
    }

    /// Sound handed to the loop at a time: its progress is seen, and a stop is heard, that often.
    private static let blockSamples = AudioChunk.sampleRate / 10

    private func handle(_ item: SessionInbox.Item) throws {
        writer.clock = inbox.clock
        switch item {
        case .samples(let samples):
            if inbox.isCancelled { return }
            start()
            try loop.hear(samples, ahead: inbox.waiting)
            noteProgress()
        case .event(.stop):
            if !inbox.isCancelled { try loop.close() }
            finish(throwing: nil)
        case .event(let event):
            start()
            try handle(event)
        }
    }

    private func handle(_ event: SessionInbox.Event) throws {
        switch event {
        case .pause:
            if !inbox.isCancelled { try loop.close() }
            writer.note(.pause, at: loop.head)
        case .resume:
            writer.note(.resume, at: loop.head)
        case .deviceLost:
            if !inbox.isCancelled { try loop.close(isLoss: true) }
            writer.note(.deviceLost, at: loop.head)
            tell(SessionGap(clock: clock, lost: 0, reason: .deviceLost))
        case .deviceBack:
            writer.note(.deviceBack, at: loop.head)
        case .overrun(let lost):
            writer.note(.gap, at: loop.head, lost: lost)
            tell(SessionGap(clock: clock, lost: Double(lost) / Double(AudioChunk.sampleRate), reason: .overrun))
        case .stop:
            break
        }
    }

    private var clock: Double { Double(loop.head) / Double(AudioChunk.sampleRate) }

    private func tell(_ gap: SessionGap) { outbox.add(.gap(gap)) }

    private func start() {
        guard !hasStarted else { return }
        hasStarted = true
        writer.note(.start, at: loop.head)
    }

    /// How often a microphone hands out its sound: waking up is what silence costs.
    private static let speechInterval = Duration.milliseconds(20)
    private static let silenceInterval = Duration.milliseconds(100)

    private func noteProgress() {
        if loop.isSpeech != heardSpeech {
            heardSpeech = loop.isSpeech
            inbox.source?.setInterval(heardSpeech ? Self.speechInterval : Self.silenceInterval)
        }
        inbox.note(
            SessionInbox.Heard(
                decoded: loop.decoded, isSpeech: loop.isSpeech && !isOver, unsaved: writer.unsavedCount))
    }

    /// Ends the session; what was final stays.
    private func finish(throwing error: (any Error)?) {
        guard !isOver else { return }
        isOver = true
        let isCancelled = inbox.isCancelled
        if isCancelled || error != nil { loop.cancel() }
        writer.note(.stop, at: loop.head)
        writer.finish(isCancelled: isCancelled, clock: loop.head)
        failure = isCancelled ? nil : error
        if failure == nil, let reason = writer.failure {
            failure = StreamingError.journalFailed(reason: "\(reason)", unsaved: writer.unsavedCount)
        }
        inbox.accept(.stop)
        inbox.source?.stop()
        inbox.setPhase(isCancelled || error == nil ? .stopped : .failed)
        noteProgress()
        outbox.add(.status(inbox.status))
        outbox.finish(failure.map { .failure($0) } ?? .success(()))
    }

    /// Sound that was heard and not recognized when recognition failed: where it begins on the session's clock, in
    /// samples, and the samples, at most `limit` of those behind the last utterance.
    public func unrecognizedAudio(limit: Int = 60 * AudioChunk.sampleRate) throws -> (start: Int, samples: [Float]) {
        guard isOver else { return (loop.head, []) }
        var (start, samples) = loop.unrecognized
        while samples.count < limit, case .samples(let more)? = try inbox.next(limit: limit - samples.count) {
            samples += more
        }
        return (start, samples)
    }
}
