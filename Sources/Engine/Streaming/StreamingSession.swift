public import EngineAudio
package import EngineBasics
public import EngineModels
public import EngineTranscription
public import EngineTranscripts
package import EngineVocabulary
public import EngineVoices

/// Recognizes audio while it is being captured and publishes volatile and final text, for hours if necessary.
///
/// Finals are append-only and never change. Times count accepted samples, never a wall clock, so pauses and lost audio
/// take no session time. Feeding audio never waits for recognition: unprocessed audio is queued in memory and then on
/// disk. With a journal, finals are stored before they are published.
///
/// ```swift
/// let recognizer = try await Recognizer(model: FilePath("ggml-base.en.bin"))
/// let session = try StreamingSession(recognizer, detector: .energy)
/// let reader = Task {
///     for try await update in session.updates {
///         switch update {
///         case .final(let segment): print(segment.text)
///         case .volatile(let segment): print(segment?.text ?? "", terminator: "\r")
///         default: break
///         }
///     }
/// }
/// try session.feed(samples)  // 16 kHz mono, in -1…1, in blocks of any size
/// try await session.stop()   // everything fed so far becomes final
/// try await reader.value
/// ```
public actor StreamingSession {
    public nonisolated let id: SessionID
    /// The updates of the session, for one reader. All finals are queued for a slow reader, but only the newest volatile
    /// text and status. The stream ends with the session and throws the error that ended it.
    public nonisolated let updates: AsyncThrowingStream<TranscriptUpdate, any Error>

    nonisolated let inbox: SessionInbox
    nonisolated let queue: UpdateQueue
    private nonisolated let executor = ComputeExecutor(isRecognition: true)
    let publisher: UpdatePublisher
    var loop: LiveLoop
    /// Whether the session has ended.
    var isOver = false
    /// The error that ended the session.
    var failure: (any Error)?
    /// The sample at which the start is recorded.
    let captureStart: Int
    var hasStarted = false
    /// Whether an utterance was open when the source's interval was last set.
    var wasSpeech = false

    /// Recognition keeps a thread busy, so the actor has its own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Creates a session. It starts with the first samples.
    ///
    /// - Parameters:
    ///   - recognizer: the loaded model.
    ///   - detector: separates speech from silence; with `.silero`, the network decides only in loud noise, and the
    ///     level elsewhere. `nil` treats all audio as speech.
    /// - Throws: `StreamingError.outOfRange` and `UnusedOptionsError` for invalid options.
    public init(
        _ recognizer: Recognizer, options: StreamingOptions = StreamingOptions(),
        detector: VoiceActivityOptions.Detector? = nil
    ) throws {
        try self.init(recognizer, options: options, detector: detector?.makeLiveDetector(), journal: nil)
    }

    /// Creates a session that stores its finals, or continues an earlier one.
    ///
    /// - Parameters:
    ///   - journal: stores finals before they are published; `nil` stores nothing.
    ///   - start: where an earlier run of the session ended; by default a new session.
    package init(
        _ recognizer: Recognizer, options: StreamingOptions = StreamingOptions(),
        detector: (any VoiceActivityDetector)? = nil, journal: (any SessionJournal)?,
        start: SessionStart = SessionStart()
    ) throws {
        try recognizer.model.traits.check(options.transcription)
        try recognizer.model.traits.check(languages: options.transcription.languages)
        let cancellation = CancellationFlag()
        let decoder = recognizer.model.liveDecoder(options, cancellation: cancellation)
        try self.init(
            decoder: decoder, options: options, detector: detector,
            speakers: options.transcription.speakers.map {
                LiveSpeakers($0, spelling: recognizer.model.spelling, start: start)
            },
            corrections: TextCorrections(
                options.transcription, for: recognizer.model, hasPunctuation: options.spokenPunctuation),
            journal: journal,
            start: start, cancellation: cancellation)
    }

    /// Creates a session with any decoder.
    ///
    /// - Parameters:
    ///   - speakers: gives finals their speakers; its audio starts at `start.clock`, too.
    ///   - corrections: applied to all text.
    ///   - cancellation: the flag that the decoder checks between tokens.
    package init(
        decoder: sending any LiveDecoder, options: StreamingOptions, detector: (any VoiceActivityDetector)? = nil,
        speakers: LiveSpeakers? = nil, corrections: TextCorrections? = nil, journal: (any SessionJournal)? = nil,
        start: SessionStart = SessionStart(),
        cancellation: CancellationFlag = CancellationFlag()
    ) throws {
        try options.validate()
        id = start.id
        captureStart = start.captureStart
        inbox = SessionInbox(clock: start.clock, cancellation: cancellation)
        let queue = UpdateQueue()
        self.queue = queue
        updates = AsyncThrowingStream(unfolding: { try await queue.next() })
        let publisher = UpdatePublisher(journal: journal, queue: queue, showsUnsaved: options.showsUnsaved)
        self.publisher = publisher
        loop = LiveLoop(
            options: options, detector: detector, decoder: decoder, speakers: speakers,
            corrections: corrections, start: start,
            emit: { publisher.publish($0) })
    }

    /// The current state of the session.
    public nonisolated var status: SessionStatus { inbox.status }

    /// Captures from a microphone until `stop` or `cancel`. All captured audio is final when this returns.
    ///
    /// - Throws: `CaptureError`, or the errors of `stop`.
    public nonisolated func run(_ microphone: Microphone) async throws {
        try await capture(from: microphone)
    }

    /// Plays a recording until its end, or until `stop` or `cancel`. Everything played is final when this returns.
    ///
    /// - Parameter speed: multiple of real time, 0.01…1000; `nil` queues everything at once.
    /// - Throws: `StreamingError.outOfRange` for the speed, the errors of the source, or the errors of `stop`.
    public nonisolated func run(_ recording: some AudioSource, speed: Double? = 1) async throws {
        var playback = PlaybackSpeed.unlimited
        if let speed {
            guard let factor = PlaybackSpeed(speed) else {
                throw StreamingError.outOfRange(option: "speed", allowed: "a number from 0.01 to 1000")
            }
            playback = factor
        }
        try await capture(from: FileCapture(recording, speed: playback))
    }

    /// Captures from a source until it ends, or until `stop` or `cancel`. All captured audio is final when this returns.
    ///
    /// - Throws: the error of the source, or the errors of `stop`.
    package nonisolated func capture(from source: some CaptureSource) async throws {
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
                case .stalled: queue.add(.status(inbox.status))
                }
                if inbox.isCancelled || inbox.isStopping { break }
            }
        } catch {
            failure = error
        }
        try await end()
        if let failure { throw failure }
    }

    /// Accepts the next samples and returns without waiting for recognition. While the session is paused or after it has
    /// ended, samples are discarded.
    ///
    /// - Parameter samples: 16 kHz mono in -1…1, any number of them.
    /// - Throws: `StreamingError.spoolFailed` if there is no space to queue them; audio accepted before is kept.
    public nonisolated func feed(_ samples: [Float]) throws {
        do {
            let accepted = try inbox.accept(samples)
            guard !accepted.isEmpty else { return }
            let second = AudioChunk.sampleRate
            if accepted.lowerBound / second != accepted.upperBound / second { queue.add(.status(inbox.status)) }
        } catch {
            throw StreamingError.spoolFailed(
                reason: error.description, from: AudioChunk.seconds(of: inbox.clock))
        }
        wakeWorker()
    }

    /// Reports that the microphone was disconnected. Ends the open utterance; the clock stops until audio arrives again.
    public nonisolated func deviceLost() { accept(.deviceLost) }

    /// Reports that the microphone is connected again.
    public nonisolated func deviceBack() { accept(.deviceBack) }

    /// Reports samples that were lost before they reached the session. They take no session time.
    public nonisolated func overrun(lostSamples: Int) { accept(.overrun(lostSamples: lostSamples)) }

    /// Ends the open utterance and discards audio until `resume`; the clock stops.
    public nonisolated func pause() {
        inbox.source?.pause()
        accept(.pause)
    }

    /// Accepts audio again after `pause`.
    public nonisolated func resume() {
        inbox.source?.resume()
        accept(.resume)
    }

    /// Makes all audio accepted so far final without ending the session, and returns at once.
    package nonisolated func endUtterance() { accept(.endUtterance) }

    /// Changes settings for the audio that follows.
    package nonisolated func change(_ change: SessionChange) { accept(.change(change)) }

    /// Number of samples that are accepted but not processed yet.
    package nonisolated var queuedSamples: Int { inbox.backlog }

    /// Number of requests that are not processed yet, such as ends of utterances.
    package nonisolated var queuedEvents: Int { inbox.eventCount }

    /// Ends the session after making all accepted audio final. Later calls only wait for the end.
    ///
    /// - Throws: the error that ended the session earlier, or `StreamingError.journalFailed` if finals could not be
    ///   stored.
    public nonisolated func stop() async throws {
        if let source = inbox.source {
            source.stop()
            await inbox.sourceEnded()
        }
        try await end()
    }

    /// Ends the session without another pass. Finals are kept, volatile text is dropped.
    public nonisolated func cancel() async {
        inbox.cancel()
        if let source = inbox.source {
            source.stop()
            await inbox.sourceEnded()
        }
        try? await end()
    }
}
