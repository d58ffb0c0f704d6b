import WhisperEngine

/// One run of `live`: everything that can be checked first, then the model, then the sound until it ends.
struct LiveRun {
    let options: LiveOptions
    let input: AudioInput
    let context: CommandContext

    func run() async throws -> ExitStatus {
        if context.streams.outputIsClosed { throw StreamError.closed }
        let choice = try ModelChoice(options, context: context)
        let source = try input.open(speed: options.speed)
        let screen = ListeningModel.screen(options, context: context)
        let journal = try SessionFolder.open(
            options, source: input.name, model: choice.name,
            settings: [
                ("commit", JSONText.string(options.commit.rawValue)), ("step", JSONText.number(options.step)),
                ("vad", options.takesAllSound ? "null" : JSONText.string(options.detector.rawValue)),
            ], context: context)
        let recognizer: Recognizer
        let recorder: WAVRecorder?
        let detector: (any VoiceActivityDetector)?
        do {
            recorder = try makeRecorder(journal)
            detector = try options.makeDetector(choice.search)
            recognizer = try await ListeningModel.load(choice, options: options, screen: screen)
        } catch {
            try journal?.close(cancelled: false, clock: journal?.clock ?? 0)
            throw EngineErrors.report(error) ?? error
        }
        let start = journal.map {
            SessionStart(id: $0.session, clock: $0.clock, nextID: $0.nextID, context: $0.context)
        }
        if let journal, journal.isResumed {
            let clock = Double(journal.clock) / Double(AudioChunk.sampleRate)
            screen.note("session \(ShellQuoting.quoted(journal.name)) goes on at \(TimeSyntax.clock(clock))")
        }
        let session = try StreamingSession(
            recognizer, options: options.streaming, detector: detector, journal: journal,
            start: start ?? SessionStart())
        return try await LiveWork(
            session: session, source: source, recorder: recorder, modelName: choice.name, options: options,
            input: input, context: context
        ).run()
    }

    /// Where the sound is saved; a resumed session goes on with its own.
    private func makeRecorder(_ journal: SQLiteJournal?) throws -> WAVRecorder? {
        if options.keepsAudio, let journal { return try WAVRecorder(journal.savedAudio, resuming: true) }
        return try options.savedAudio.map { try WAVRecorder($0, resuming: journal?.isResumed == true) }
    }
}

/// The model of `live` and `dictate`.
enum ListeningModel {
    static func screen(_ options: some ListeningOptions, context: CommandContext) -> Screen {
        Screen(
            streams: context.streams, environment: context.environment, quiet: options.verbosity == .quiet,
            verbose: options.verbosity == .verbose, progress: false, color: options.color)
    }

    static func load(
        _ choice: ModelChoice, options: some ListeningOptions, screen: Screen
    ) async throws -> Recognizer {
        var asked = TranscribeOptions()
        asked.language = options.language
        asked.task = options.task
        do {
            let start = ContinuousClock.now
            let recognizer = try await Recognizer(model: choice.path, options: options.compute)
            let time = (ContinuousClock.now - start) / Duration.milliseconds(1)
            screen.detail("model \(choice.name) (\(choice.path)) loaded in \(Int(time)) ms")
            try ModelChecks(model: recognizer, name: choice.name, options: asked, search: choice.search)
                .check(screen: screen)
            return recognizer
        } catch {
            throw EngineErrors.report(error) ?? error
        }
    }
}
