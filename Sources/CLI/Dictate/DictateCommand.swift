import WhisperEngine

/// `whisper-local dictate`: push-to-talk dictation.
///
/// `AudioInput` selects the source, `ListeningSetup` prepares everything, `DictateSession` runs it by the rules of
/// `PushToTalk`, and `DictateDisplay` shows the state and the text.
enum DictateCommand: Command {
    static let manual = CommandManual(
        name: "dictate", summary: "Push-to-talk dictation", usage: ["[options]"],
        notes: [
            "Hold SPACE in the terminal while speaking. Elsewhere a hot key can send SIGUSR1 to start and SIGUSR2 to "
                + "stop. Escape discards the recording; q quits. If the terminal reports no key releases and the key "
                + "does not repeat, tap it to start and tap it again to stop.",
            "The text goes to standard output, and with --copy or --deliver also to the clipboard or to another "
                + "program's standard input. Nothing is saved without --session.",
        ],
        examples: [
            "--copy --bell", "--deliver 'wtype -' --append-space", "--toggle --pid-file $XDG_RUNTIME_DIR/dictate.pid",
        ],
        mostUsed: [
            "--model", "--language", "--device", "--toggle", "--bell", "--pid-file", "--copy", "--deliver",
            "--append-space", "--session",
        ])

    static func check(_ options: DictateOptions) throws(UsageError) {
        try options.listening.checkCombinations()
        if options.given.contains("--close-device"), options.listening.file != nil {
            throw .contradiction("--close-device", "--file", why: "a recording is not a device")
        }
    }

    static func run(_ options: DictateOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus
    {
        if options.listening.listsLanguages { return try Languages.list(context.streams) }
        if let word = operands.first { throw UsageError.unwantedOperand(word) }
        var options = options
        try options.listening.vocabulary.load(context.environment)
        try TextDelivery.check(options, environment: context.environment)
        let input = try AudioInput(options.listening, operands: [], command: manual.name, context: context)
        let setup = try ListeningSetup(
            options.listening, input: input, settings: [("command", "\"dictate\"")], context: context)
        if let journal = setup.journal, try await EarlierAudio(of: journal) != nil {
            throw HistoryError.needsRecovery(name: journal.name)
        }
        let journal = setup.journal.map { SharedJournal($0) }
        do {
            let (recognizer, detector) = try await setup.load(options.listening)
            let display = DictateDisplay(options, context: context)
            var streaming = options.listening.streaming
            streaming.spokenPunctuation = options.spokenPunctuation
            if options.spokenPunctuation, let language = options.listening.language?.code,
                SpokenPunctuation(language: language) == nil
            {
                setup.console.warning("--spoken-punctuation has no effect in \(Language.name(ofCode: language))")
            }
            let transcriber = PressTranscriber(
                recognizer: recognizer, detector: detector,
                options: streaming.suited(to: recognizer.model.traits),
                journal: journal,
                display: display)
            let session = DictateSession(
                transcriber: transcriber, display: display, options: options, input: input, context: context)
            let status = try await session.run(setup.source)
            try journal?.closeAll()
            return status
        } catch {
            try? journal?.closeAll()
            throw error
        }
    }
}
