import WhisperEngine

/// `whisper-local live`: transcribes speech as it is spoken.
///
/// `AudioInput` selects the source, `ListeningSetup` prepares everything, `LiveSession` runs it, and `LiveDisplay`
/// shows the text.
enum LiveCommand: Command {
    static let manual = CommandManual(
        name: "live", summary: "Transcribe speech as it is spoken",
        usage: ["[options]", "[options] --file FILE", "[options] --raw FORMAT -"],
        notes: [
            "Reads the microphone, a recording played in real time, or samples from standard input (-). On a terminal "
                + "each utterance is a line that grows, with text that may still change in dim. Elsewhere an utterance "
                + "is printed once it is over; with --json every event is printed as it happens, one object per line.",
            "With --speakers, final text is labeled with its speaker, and the label never changes afterwards; a change "
                + "of speaker starts a new line.",
            "Ctrl-C stops after everything captured so far has been transcribed; a second Ctrl-C discards what is not "
                + "final yet. Space or p pauses and resumes. With --session, text that was shown is never lost.",
        ],
        examples: ["", "--session standup --language de", "--json | jq", "--file talk.mp3 --speed max"],
        mostUsed: [
            "--model", "--language", "--translate", "--device", "--list-devices", "--file", "--speakers", "--json",
            "--session", "--save-audio",
        ])

    static func check(_ options: LiveOptions) throws(UsageError) {
        try options.listening.checkCombinations()
        let given = options.given
        if given.contains("--speed"), options.listening.file == nil { throw .needs("--speed", "--file") }
        if given.contains("--show-unsaved"), options.listening.session == nil {
            throw .needs("--show-unsaved", "--session")
        }
        if given.contains("--keep-audio"), options.listening.session == nil {
            throw .needs("--keep-audio", "--session")
        }
        if given.contains("--keep-audio"), given.contains("--save-audio") {
            throw .contradiction("--keep-audio", "--save-audio", why: "the audio is saved only once")
        }
        if given.contains("--speaker-names"), !options.speakers.isOn { throw .needs("--speaker-names", "--speakers") }
        try options.speakers.checkKnownVoices(given)
        if given.contains("--json"), given.contains("--no-timestamps") {
            throw .contradiction("--json", "--no-timestamps", why: "JSON objects always have times")
        }
    }

    static func run(_ options: LiveOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if options.listening.spoken.isHelp { return try SpokenLanguages.list(context.streams) }
        if options.listening.listsDevices { return try Microphones.list(context) }
        var options = options
        try options.listening.vocabulary.load(context.environment)
        let input = try AudioInput(options.listening, operands: operands, command: manual.name, context: context)
        let setup = try ListeningSetup(
            options.listening, input: input, speed: options.speed, settings: settings(options), context: context)
        let journal = setup.journal
        var earlier: EarlierAudio?
        let recorder: WAVRecorder?
        let loaded: (recognizer: Recognizer, detector: (any VoiceActivityDetector)?)
        var streaming = options.streaming
        do {
            if let journal { earlier = try await EarlierAudio(of: journal) }
            recorder = try openRecorder(options, journal: journal)
            streaming.transcription.speakers = try speakers(options, setup, context)
            loaded = try await setup.load(options.listening)
        } catch {
            // A session that still has audio to transcribe stays open, so that the next run finds it.
            if journal?.isInterrupted != true { try journal?.close(cancelled: false, clock: journal?.clock ?? 0) }
            throw error
        }
        if let journal, journal.isResumed {
            let position = AudioChunk.seconds(of: journal.clock)
            setup.console.note("resuming session \(ShellQuoting.quoted(journal.name)) at \(Timestamp.clock(position))")
        }
        if let earlier {
            setup.console.note(
                "first transcribing \(Timestamp.clock(earlier.seconds)) of audio from an unfinished run")
        }
        let session = try StreamingSession(
            loaded.recognizer, options: streaming.suited(to: loaded.recognizer.model.traits),
            detector: loaded.detector, journal: journal,
            start: earlier?.start ?? journal?.start ?? SessionStart())
        return try await LiveSession(
            session: session, earlier: earlier, source: setup.source, recorder: recorder, modelName: setup.model.name,
            options: options,
            input: input, context: context
        ).run()
    }

    /// What is stored with a new session.
    private static func settings(_ options: LiveOptions) -> [(key: String, value: String)] {
        let detector = options.listening.detectsSpeech ? options.listening.detector.rawValue : nil
        return [
            ("commit", JSONText.string(options.commit.rawValue)), ("step", JSONText.number(options.step)),
            ("vad", JSONText.string(detector)), ("speakers", options.speakers.isOn ? "true" : "false"),
        ]
    }

    /// How speakers are identified; `nil` if they are not.
    private static func speakers(
        _ options: LiveOptions, _ setup: ListeningSetup, _ context: CommandContext
    ) throws -> SpeakerOptions? {
        guard options.speakers.isOn else { return nil }
        let choice = try SpeakerChoice(
            options.speakers, options.listening.compute.computeType, search: setup.model.search,
            environment: context.environment)
        setup.console.detail(choice.detail)
        if let warning = choice.warning { setup.console.warning(warning) }
        return choice.engine
    }

    /// The file that the audio is saved to; a resumed session continues its own.
    private static func openRecorder(_ options: LiveOptions, journal: SQLiteJournal?) throws -> WAVRecorder? {
        if options.keepsAudio, let journal {
            return try WAVRecorder(journal.savedAudio, resuming: true, isPrivate: true)
        }
        return try options.savedAudio.map { try WAVRecorder($0, resuming: journal?.isResumed == true) }
    }
}
