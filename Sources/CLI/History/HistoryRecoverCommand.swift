import Synchronization
import WhisperEngine

/// `history recover`: transcribes the saved audio after a session's last final.
enum HistoryRecoverCommand: Command {
    struct Options: ModelOptions {
        var given: Set<String> = []
        var model: FilePath?
        var modelFolder: FilePath?
        var compute = ComputeOptions()
        var languages: [Language] = []

        /// The language that the session was given, unless the command line has others.
        func spoken(in session: StoredSession) throws -> SpokenLanguages {
            SpokenLanguages(only: try session.language.map { try Language($0) }, possible: languages)
        }
    }

    static let manual = CommandManual(
        name: "history recover", summary: "Transcribe the saved audio of a killed session",
        usage: ["[options] SESSION"],
        notes: [
            "For sessions of `live --keep-audio` whose process was killed, or whose last text was discarded with Ctrl-C. "
                + "The recovered text is appended to the session and printed. Without --model, the session's own model is "
                + "used. Continuing a killed session with `live --session` recovers its text, too."
        ])

    static let flags: [Flag<Options>] =
        ModelFlags.weights() + [
            SpokenLanguages.listFlag(sets: \.languages)
        ] + ModelFlags.compute()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let (session, store) = try SessionHistory(context).session(operands, command: manual)
        let wasCancelled = session.state == .cancelled
        let hasAudio = store.savedAudio(of: session.id).map(FileSystem.isReadable) ?? false
        guard session.state != .closed, hasAudio || !wasCancelled else {
            throw HistoryError.nothingToRecover(name: session.title)
        }
        let recovery = try SessionRecovery(session, in: store.path)
        guard let start = try await recovery.audio.firstSpeech() else {
            try recovery.finish()
            context.streams.writeError("0 finals recovered\n")
            return .success
        }
        var options = options
        options.model = options.model ?? FilePath(session.model)
        let model = try ModelChoice(options, for: .liveAudio, context: context)
        let console = Console(
            streams: context.streams, environment: context.environment, verbosity: .normal, progress: true,
            color: .auto)
        var transcription = TranscriptionOptions()
        transcription.timeWords()
        try options.spoken(in: session).apply(to: &transcription, options.given)
        transcription.offset = AudioChunk.seconds(of: start)
        let recognizer = try await model.load(options.compute, console: console)
        if !options.languages.isEmpty {
            try ModelChecks(
                model: recognizer, name: model.name, options: transcription, given: options.given,
                defaults: transcription.whisper, search: model.search
            ).check(console: console)
        }
        let work = RecognitionTask<Transcript>()
        let writer = RecoveryWriter(recovery: recovery, console: console, work: work)
        transcription = transcription.suited(to: recognizer.model.traits)
        let task = Task { [transcription] in
            try await recognizer.transcribe(recovery.source, options: transcription) { writer.handle($0) }
        }
        work.start(task)
        context.signals.onInterrupt { work.cancel() }
        let result = await task.result
        console.hideProgress()
        if let failure = writer.failure { throw failure }
        switch result {
        case .success:
            try recovery.finish()
            console.note("\(Counted.text(writer.count, "final")) recovered")
            return .success
        case .failure(let error):
            if let status = context.signals.received { return status }
            throw error
        }
    }
}

/// Appends each recovered segment to the session, then prints it.
private final class RecoveryWriter: Sendable {
    private struct State {
        var count = 0
        var failure: (any Error)?
    }

    private let recovery: SessionRecovery
    private let console: Console
    private let work: RecognitionTask<Transcript>
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(recovery: SessionRecovery, console: Console, work: RecognitionTask<Transcript>) {
        self.recovery = recovery
        self.console = console
        self.work = work
    }

    /// The number of finals appended.
    var count: Int { state.withLock { $0.count } }

    /// The error that stopped the recovery.
    var failure: (any Error)? { state.withLock { $0.failure } }

    func handle(_ update: TranscriptUpdate) {
        switch update {
        case .final(let segment): append(segment)
        case .volatile(let segment):
            console.show(volatile: segment?.text ?? "")
        case .progress(let position, let duration):
            let elapsed = (ContinuousClock.now - start) / Duration.seconds(1)
            console.show(
                progress: ProgressLine(position: position, duration: duration, elapsed: elapsed))
        default: break
        }
    }

    private func append(_ segment: TranscriptSegment) {
        guard failure == nil else { return }
        do {
            guard let final = try recovery.append(segment) else { return }
            state.withLock { $0.count += 1 }
            try console.output(SegmentLine(showsTimestamps: true, colorsWords: false).text(of: final))
        } catch {
            state.withLock { $0.failure = error }
            work.cancel()
        }
    }
}
