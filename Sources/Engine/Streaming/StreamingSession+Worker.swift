import EngineAudio
import EngineModels
import EngineTranscripts

extension StreamingSession {
    /// Samples passed to the loop at a time: how often progress is updated and events take effect.
    private static let blockSamples = AudioChunk.sampleRate / 10
    /// How often a microphone delivers audio. Most of the cost of silence is waking up.
    private static let speechInterval = Duration.milliseconds(20)
    static let silenceInterval = Duration.milliseconds(100)

    private var clock: Double { AudioChunk.seconds(of: loop.head) }

    nonisolated func accept(_ event: SessionInbox.Event) {
        guard inbox.accept(event) else { return }
        queue.add(.status(inbox.status))
        wakeWorker()
    }

    /// Wakes the session's own thread unless it is already awake.
    nonisolated func wakeWorker() {
        guard inbox.schedule() else { return }
        Task { await drain() }
    }

    nonisolated func end() async throws {
        accept(.stop)
        // Accepted audio becomes final even if the caller's task is cancelled.
        try await Task { try await drainToEnd() }.value
    }

    private func drainToEnd() throws {
        drain()
        if let failure { throw failure }
    }

    /// Processes everything in the inbox.
    private func drain() {
        inbox.beginWork()
        while !isOver {
            do {
                guard let item = try inbox.next(limit: Self.blockSamples) else { break }
                try handle(item)
            } catch let error as SampleStoreError {
                finish(throwing: StreamingError.spoolFailed(reason: error.description, from: clock))
            } catch {
                finish(throwing: error)
            }
        }
        if !isOver { publisher.flush() }
        updateProgress()
    }

    private func handle(_ item: SessionInbox.Item) throws {
        publisher.clock = inbox.clock
        switch item {
        case .samples(let samples):
            if inbox.isCancelled { return }
            recordStart()
            try loop.feed(samples, backlog: inbox.backlog)
            updateProgress()
        case .event(.stop):
            if !inbox.isCancelled { try loop.close() }
            finish(throwing: nil)
        case .event(.endUtterance):
            if !inbox.isCancelled { try loop.endUtterance() }
        case .event(.change(let change)):
            loop.change(change)
        case .event(let event):
            recordStart()
            try handle(event)
        }
    }

    private func handle(_ event: SessionInbox.Event) throws {
        switch event {
        case .pause:
            if !inbox.isCancelled { try loop.close() }
            publisher.record(.pause, at: loop.head)
        case .resume:
            publisher.record(.resume, at: loop.head)
        case .deviceLost:
            if !inbox.isCancelled { try loop.close(isLoss: true) }
            publisher.record(.deviceLost, at: loop.head)
            queue.add(.gap(SessionGap(clock: clock, lost: 0, reason: .deviceLost)))
        case .deviceBack:
            publisher.record(.deviceBack, at: loop.head)
        case .overrun(let lost):
            publisher.record(.gap, at: loop.head, lost: lost)
            let seconds = AudioChunk.seconds(of: lost)
            queue.add(.gap(SessionGap(clock: clock, lost: seconds, reason: .overrun)))
        case .endUtterance, .change, .stop:
            break
        }
    }

    private func recordStart() {
        guard !hasStarted, loop.head >= captureStart else { return }
        hasStarted = true
        publisher.record(.start, at: loop.head)
    }

    private func updateProgress() {
        if loop.isSpeech != wasSpeech {
            wasSpeech = loop.isSpeech
            inbox.source?.setInterval(wasSpeech ? Self.speechInterval : Self.silenceInterval)
        }
        inbox.update(
            SessionInbox.Progress(
                decoded: loop.decoded, isSpeech: loop.isSpeech && !isOver, unsaved: publisher.unsavedCount,
                saveProblem: publisher.problem))
    }

    /// Ends the session; finals are kept.
    private func finish(throwing error: (any Error)?) {
        guard !isOver else { return }
        isOver = true
        let isCancelled = inbox.isCancelled
        if isCancelled || error != nil { loop.cancel() }
        publisher.record(.stop, at: loop.head)
        publisher.finish(isCancelled: isCancelled, isFailed: !isCancelled && error != nil, clock: loop.head)
        failure = isCancelled ? nil : error
        if failure == nil, let reason = publisher.failure {
            failure = StreamingError.journalFailed(reason: "\(reason)", unsaved: publisher.unsavedCount)
        }
        inbox.accept(.stop)
        inbox.source?.stop()
        inbox.setPhase(isCancelled || error == nil ? .stopped : .failed)
        updateProgress()
        queue.add(.status(inbox.status))
        queue.finish(failure.map { .failure($0) } ?? .success(()))
    }
}
