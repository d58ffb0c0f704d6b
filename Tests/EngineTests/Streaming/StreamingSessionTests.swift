import Synchronization
import Testing

/// Tests the threads, queues and endings of a session with synthetic speech.
@Suite("Streaming session")
struct StreamingSessionTests {
    /// A source that delivers its events immediately.
    struct ScriptedSource: CaptureSource {
        let script: [CaptureEvent]
        var failure: CaptureFailure?
        var device: String? { "script" }
        func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
            AsyncThrowingStream { continuation in
                for event in script { continuation.yield(event) }
                continuation.finish(throwing: failure)
            }
        }
        func pause() {}
        func resume() {}
        func stop() {}
    }

    struct CaptureFailure: Error, Equatable {}

    private static func read(_ session: StreamingSession) async throws -> (TranscriptState, [TranscriptUpdate]) {
        var state = TranscriptState()
        var updates: [TranscriptUpdate] = []
        for try await update in session.updates {
            try state.apply(update)
            updates.append(update)
        }
        return (state, updates)
    }

    @Test("concurrent and repeated stops give one set of finals, all of them stored")
    func stops() async throws {
        for seed in 0..<UInt64(200) {
            let speech = PlantedSpeech(seed: seed, seconds: 2...8)
            let journal = FlakyJournal(seed: seed, isReliable: true)
            let session = try StreamingSession(
                decoder: PlantedDecoder(speech), options: .test(seed % 2 == 0 ? .agree : .align), journal: journal)
            var random = SplitMix64(seed: seed)
            var rest = speech.samples[...]
            while !rest.isEmpty {
                let block = rest.prefix(Int.random(in: 1...20_000, using: &random))
                rest = rest.dropFirst(block.count)
                try session.feed(Array(block))
            }
            async let first: Void = session.stop()
            async let second: Void = session.stop()
            _ = try await (first, second)
            try await session.stop()
            let (state, updates) = try await Self.read(session)
            #expect(state.text == speech.text && state.volatile == nil, "seed \(seed)")
            #expect(journal.rows == state.finalized && journal.isClosed)
            #expect(journal.events == [.start, .stop])
            guard case .status(let last)? = updates.last else {
                Issue.record("the last update is not a status")
                continue
            }
            #expect(last.state == .stopped && last.clock == Double(speech.count) / 16_000 && last.lag == 0)
        }
    }

    @Test("a run that begins with earlier audio records its start where the new audio begins")
    func captureStart() async throws {
        let journal = FlakyJournal(seed: 1, isReliable: true)
        let speech = PlantedSpeech(seed: 3, seconds: 4...6)
        let half = speech.count / 2
        let session = try StreamingSession(
            decoder: PlantedDecoder(speech), options: .test(.align), journal: journal,
            start: SessionStart(clock: 0, captureStart: half))
        try session.feed(Array(speech.samples[..<half]))
        session.endUtterance()
        try session.feed(Array(speech.samples[half...]))
        try await session.stop()
        #expect(journal.events == [.start, .stop] && journal.positions == [half, speech.count])
    }

    @Test("a source is captured to its end, and losses are reported and take no session time")
    func source() async throws {
        let speech = PlantedSpeech(seed: 5, seconds: 6...8)
        let samples = speech.samples
        let half = speech.gaps[speech.gaps.count / 2]
        let journal = FlakyJournal(seed: 1, isReliable: true)
        let session = try StreamingSession(
            decoder: PlantedDecoder(speech), options: .test(.agree), detector: EnergyDetector(), journal: journal)
        try await session.capture(
            from:
                ScriptedSource(script: [
                    .samples(Array(samples[..<half])), .deviceLost(reason: "gone"), .deviceBack,
                    .overrun(lostSamples: 1_600), .samples(Array(samples[half...])),
                ]))
        let (state, updates) = try await Self.read(session)
        #expect(state.text == speech.text)
        let gaps = updates.compactMap { update -> SessionGap? in
            if case .gap(let gap) = update { return gap }
            return nil
        }
        let clock = Double(half) / 16_000
        #expect(
            gaps == [
                SessionGap(clock: clock, lost: 0, reason: .deviceLost),
                SessionGap(clock: clock, lost: 0.1, reason: .overrun),
            ])
        #expect(journal.events == [.start, .deviceLost, .deviceBack, .gap, .stop])
        #expect(session.status.droppedSamples == 1_600 && session.status.device == "script")
    }

    @Test("a source delivers audio more often during speech than during silence")
    func intervals() async throws {
        /// Records the intervals it was set to.
        final class WatchedSource: CaptureSource {
            let samples: [Float]
            let intervals = Mutex<[Duration]>([])
            var device: String? { nil }
            init(_ samples: [Float]) { self.samples = samples }
            func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
                AsyncThrowingStream { continuation in
                    continuation.yield(.samples(samples))
                    continuation.finish()
                }
            }
            func pause() {}
            func resume() {}
            func stop() {}
            func setInterval(_ interval: Duration) { intervals.withLock { $0.append(interval) } }
        }
        let words = [(32_000, 40_000), (41_000, 48_000), (96_000, 104_000)].enumerated().map { index, range in
            PlantedSpeech.Word(text: " w\(index)", start: range.0, end: range.1)
        }
        let speech = PlantedSpeech(words: words, count: 144_000)
        let session = try StreamingSession(
            decoder: PlantedDecoder(speech), options: .test(.agree), detector: EnergyDetector())
        let source = WatchedSource(speech.samples)
        let running = Task { try await session.capture(from: source) }
        let (state, _) = try await Self.read(session)
        try await running.value
        #expect(state.text == speech.text)
        let (long, short) = (Duration.milliseconds(100), Duration.milliseconds(20))
        #expect(source.intervals.withLock { $0 } == [long, short, long, short, long])
    }

    @Test("a recording is played into a session at any speed", arguments: [nil, 1000])
    func recordings(speed: Double?) async throws {
        let speech = PlantedSpeech(seed: 6, seconds: 3...4)
        let session = try StreamingSession(decoder: PlantedDecoder(speech), options: .test(.align))
        try await session.run(SampleSource(speech.samples), speed: speed)
        #expect(try await Self.read(session).0.text == speech.text)
    }

    @Test("a playback speed out of range is rejected", arguments: [0, -1, 1001, .nan, .infinity])
    func badSpeeds(speed: Double) async throws {
        let session = try StreamingSession(
            decoder: PlantedDecoder(PlantedSpeech(seed: 6, seconds: 3...4)), options: .test(.align))
        await #expect(throws: StreamingError.outOfRange(option: "speed", allowed: "a number from 0.01 to 1000")) {
            try await session.run(SampleSource([]), speed: speed)
        }
    }

    @Test("if a source fails, captured audio becomes final and the error is thrown")
    func failingSource() async throws {
        let speech = PlantedSpeech(seed: 6, seconds: 3...4)
        let session = try StreamingSession(decoder: PlantedDecoder(speech), options: .test(.align))
        await #expect(throws: CaptureFailure()) {
            try await session.capture(
                from:
                    ScriptedSource(script: [.samples(speech.samples)], failure: CaptureFailure()))
        }
        #expect(try await Self.read(session).0.text == speech.text)
    }

    @Test("a decoder that always fails ends the session, which counts as interrupted")
    func failingDecoder() async throws {
        let speech = PlantedSpeech(seed: 7, seconds: 4...5)
        let decoder = PlantedDecoder(speech)
        decoder.onPass = { _ in throw PlantedDecoder.Failure() }
        let journal = FlakyJournal(seed: 1, isReliable: true)
        let session = try StreamingSession(decoder: decoder, options: .test(.agree), journal: journal)
        try session.feed(speech.samples)
        let error = StreamingError.decodingFailed(reason: "Failure()", from: 0)
        await #expect(throws: error) { try await session.stop() }
        await #expect(throws: error) { try await session.stop() }
        #expect(session.status.state == .failed)
        await #expect(throws: error) { _ = try await Self.read(session) }
        #expect(!journal.isClosed)
    }

    @Test("a pause discards audio and stops the clock")
    func pause() async throws {
        let speech = PlantedSpeech(seed: 8, seconds: 6...7)
        let half = speech.gaps[speech.gaps.count / 2]
        let session = try StreamingSession(decoder: PlantedDecoder(speech), options: .test(.agree))
        try session.feed(Array(speech.samples[..<half]))
        session.pause()
        #expect(session.status.state == .paused)
        try session.feed([Float](repeating: 0.3, count: 16_000))
        session.resume()
        try session.feed(Array(speech.samples[half...]))
        try await session.stop()
        #expect(session.status.clock == Double(speech.count) / 16_000)
        #expect(try await Self.read(session).0.text == speech.text)
    }

    @Test("a journal that always fails is reported at the end, and no text is lost")
    func fullDisk() async throws {
        let speech = PlantedSpeech(seed: 9, seconds: 3...4)
        let session = try StreamingSession(
            decoder: PlantedDecoder(speech), options: .test(.agree), journal: FullJournal())
        try session.feed(speech.samples)
        await #expect(throws: StreamingError.self) { try await session.stop() }
        var state = TranscriptState()
        var failure: StreamingError?
        do {
            for try await update in session.updates { try state.apply(update) }
        } catch let error as StreamingError {
            failure = error
        }
        #expect(failure == .journalFailed(reason: "Full()", unsaved: state.finalized.count))
        #expect(state.text == speech.text)
    }

    @Test("options out of range are rejected")
    func options() {
        var options = StreamingOptions()
        options.step = 0.1
        #expect(throws: StreamingError.outOfRange(option: "step", allowed: "a number from 0.25 to 2")) {
            try options.validate()
        }
        options = StreamingOptions()
        options.maxWindow = 29
        #expect(throws: StreamingError.self) { try options.validate() }
    }
}

private struct FullJournal: SessionJournal {
    struct Full: Error {}
    func append(_ finals: [TranscriptSegment], clock: Int) throws { throw Full() }
    func record(_ event: ClockEvent, at position: Int, lostSamples: Int) throws {}
    func close(cancelled: Bool, clock: Int) throws {}
}
