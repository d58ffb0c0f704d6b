import Glibc
import WhisperEngine

/// `whisper-local dictate`: push-to-talk dictation.
///
/// `AudioInput` selects the source, `ListeningSetup` prepares everything, `DictateSession` runs it by the rules of
/// `PushToTalk`, and `DictateDisplay` shows the state and the text.
enum DictateCommand: Command {
    static let manual = CommandManual(
        name: "dictate", summary: "Push-to-talk dictation",
        usage: ["[options]", "start|toggle [options]", "stop|cancel|quit|status"],
        notes: [
            "Hold SPACE in the terminal while speaking. If the terminal reports no key releases and the key does not "
                + "repeat, tap it to start and tap it again to stop. Escape discards the recording; Ctrl-C ends it, and "
                + "again the program; q quits.",
            "For a hot key of the desktop: `start`, `stop`, `toggle` and `cancel` talk to the `dictate` that is running. "
                + "If there is none, `start` and `toggle` start one in the background, with these options. `status` says "
                + "what it is doing: stopped, idle, recording, transcribing, or error and why.",
            "The text goes to standard output, and with --type, --copy or --deliver also to the focused window, to the "
                + "clipboard or to another program's standard input. Nothing is saved without --session.",
        ],
        examples: ["--copy --bell", "toggle --type --append", "status --follow --json"],
        operands: .words(DictateRemote.Verb.allCases.map(\.rawValue)),
        mostUsed: [
            "--model", "--language", "--device", "--toggle", "--bell", "--type", "--copy", "--deliver",
            "--append", "--session",
        ])

    static func check(_ options: DictateOptions) throws(UsageError) {
        try options.listening.checkCombinations()
        if options.given.contains("--close-device"), options.listening.file != nil {
            throw .contradiction("--close-device", "--file", why: "a recording is not a device")
        }
    }

    static func run(_ options: DictateOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus
    {
        if options.listening.spoken.isHelp { return try SpokenLanguages.list(context.streams) }
        if options.listening.listsDevices { return try Microphones.list(context) }
        for option in ["--follow", "--json"]
        where options.given.contains(option) && operands != [Array(DictateRemote.Verb.status.rawValue.utf8)] {
            throw UsageError.needs(option, "status")
        }
        if let word = operands.first {
            guard operands.count == 1, let verb = DictateRemote.Verb(rawValue: String(decoding: word, as: UTF8.self))
            else {
                throw UsageError.unwantedOperand(operands.last ?? word)
            }
            return try DictateRemote.run(verb, options, context: context)
        }
        var options = options
        try options.listening.vocabulary.load(context.environment)
        let delivery = try TextDelivery(options, environment: context.environment)
        let key = try options.key.map { try HeldKey($0) }
        let input = try AudioInput(options.listening, operands: [], command: manual.name, context: context)
        let setup = try ListeningSetup(
            options.listening, input: input, settings: [("command", "\"dictate\"")], context: context)
        if let journal = setup.journal, try await EarlierAudio(of: journal) != nil {
            throw HistoryError.needsRecovery(name: journal.name)
        }
        let server = try DictateServer(console: setup.console, context: context)
        defer { server?.end() }
        let journal = setup.journal.map { SharedJournal($0) }
        do {
            let display = DictateDisplay(options, context: context)
            var streaming = options.listening.streaming
            streaming.spokenPunctuation = options.spokenPunctuation
            if options.spokenPunctuation, let language = options.listening.streaming.language,
                SpokenPunctuation(language: language) == nil
            {
                setup.console.warning("--spoken-punctuation has no effect in \(Language.name(ofCode: language))")
            }
            let idleTime = options.unloadTime.map { Duration.seconds($0) }
            let model = ModelKeeper(idleTime: idleTime) { [options] isFirst in
                let (recognizer, detector) = try await setup.load(options.listening, announces: isFirst)
                return ModelKeeper.Loaded(recognizer: recognizer, detector: detector)
            } onUnload: {
                setup.console.detail("model unloaded")
            }
            let transcriber = PressTranscriber(
                model: model, options: streaming, journal: journal, display: display)
            let session = DictateSession(
                transcriber: transcriber, delivery: delivery, display: display, options: options, input: input,
                context: context)
            if let problem = delivery.problem { setup.console.warning(problem) }
            if case .keyboards(let key) = options.key {
                setup.console.warning(
                    "to notice \(key.name), this program is sent every key that is typed; it forgets all others")
            }
            if key == nil, !DictateControls.readsKeys(input, context) {
                setup.console.note(
                    server == nil
                        ? "no keys can be read here; to record: kill -USR1 \(getpid()), and to end it: kill -USR2 \(getpid())"
                        : "no keys can be read here; to record: whisper-local dictate start")
            }
            if context.streams.errorIsTerminal {
                // Nothing else is drawn meanwhile.
                try await model.use { _ in }
            } else {
                // What is said meanwhile is recorded.
                Task {
                    do { try await model.use { _ in } } catch { await session.fail(error) }
                }
            }
            let status = try await session.run(setup.source, server: server, key: key)
            try journal?.closeAll()
            return status
        } catch {
            try? journal?.closeAll()
            throw error
        }
    }
}
