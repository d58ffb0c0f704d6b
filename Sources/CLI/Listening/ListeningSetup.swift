import Glibc
import WhisperEngine

/// What `live` and `dictate` prepare before they listen. Everything that can fail immediately is checked before the
/// model is loaded.
struct ListeningSetup {
    let model: ModelChoice
    let source: any CaptureSource
    let console: Console
    /// The session named by `--session`; `nil` saves nothing.
    let journal: SQLiteJournal?

    /// - Parameters:
    ///   - speed: the playback speed, if the input is a recording.
    ///   - settings: members of the JSON object that is stored with a new session.
    init(
        _ options: ListeningOptions, input: AudioInput, speed: PlaybackSpeed = .realTime,
        settings: [(key: String, value: String)], context: CommandContext
    ) throws {
        if context.streams.outputIsClosed { throw StreamError.closed }
        let transcription = options.streaming.transcription
        model = try ModelChoice(
            options, for: .liveAudio, suits: { ModelChecks.suits(transcription, $0, given: options.given) },
            context: context)
        source = try input.open(speed: speed)
        console = Console(
            streams: context.streams, environment: context.environment, verbosity: options.verbosity,
            progress: false, color: options.color)
        if let detail = options.vocabulary.detail { console.detail(detail) }
        guard let name = options.session else {
            journal = nil
            return
        }
        journal = try SQLiteJournal(
            session: name, in: context.environment.dataFile(SessionHistory.fileName, to: "store sessions"),
            from: SessionOrigin(
                source: input.name, model: model.name, language: transcription.language,
                options: JSONText.object(settings)))
    }

    /// Loads the model and, unless speech detection is off, the detector.
    ///
    /// - Parameter announces: whether to print the model in use.
    func load(
        _ options: ListeningOptions, announces: Bool = true
    ) async throws -> (recognizer: Recognizer, detector: (any VoiceActivityDetector)?) {
        let detector = options.detectsSpeech ? try options.detector.makeDetector(model.search) : nil
        let recognizer = try await model.load(options.compute, console: console, showsNote: false)
        try ModelChecks(
            model: recognizer, name: model.name, options: options.streaming.transcription, given: options.given,
            defaults: WhisperOptions(), search: model.search
        ).check(console: console)
        if announces { announce(recognizer) }
        return (recognizer, detector)
    }

    /// Reports the model in use, and how to stop a job that ignores Ctrl-C.
    private func announce(_ recognizer: Recognizer) {
        if recognizer.model.traits.isDemonstration {
            console.warning(
                "model \(model.name) is only a demonstration: it knows a few hundred words and invents text when it hears "
                    + "others; for real speech: whisper-local models pull \(ModelChoice.defaultName)")
        } else {
            console.note(model.note ?? "model: \(model.name)")
        }
        if Signals.isInterruptIgnored { console.note("this job ignores Ctrl-C; to stop it: kill \(getpid())") }
    }
}

extension StreamingOptions {
    /// The options adapted to a model. The demonstration model often guesses, and wrong final words mislead it more
    /// than other models: improbable words wait longer and are not searched with several beams, no audio of the
    /// previous utterance is decoded again, and no pass is required to find text.
    func suited(to model: ModelTraits) -> StreamingOptions {
        guard model.isDemonstration else { return self }
        var options = self
        options.minimumProbability = 0.8
        options.patience = 5
        options.voiceBeforeText = .infinity
        options.doubtfulBeams = 1
        options.trim = 15
        options.volatileProbability = 0.4
        options.volatileGuard = 0.1
        options.carriedAudio = 0
        options.passContext = .margin(512)
        options.closingContext = .margin(512)
        return options
    }
}

extension SQLiteJournal {
    /// Where the next recording of the session continues.
    var start: SessionStart {
        var start = SessionStart(id: session, clock: clock, nextID: nextID, context: context)
        start.speakerNumbers = speakerNumbers
        return start
    }
}
