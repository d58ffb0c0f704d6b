import Synchronization
import WhisperEngine

/// The saved sound behind a session's last final to finals.
enum HistoryRecoverCommand: Command {
    struct Options: ModelOptions {
        var given: Set<String> = []
        var model: FilePath?
        var modelFolder: FilePath?
        var compute = ComputeOptions()

        init() {}
    }

    static let manual = CommandManual(
        name: "history recover", summary: "Decode what a broken session had saved but not recognized",
        usage: ["[options] SESSION"],
        notes: [
            "For sessions of `live --save-audio` whose process died. What is recognized is appended to the session and "
                + "printed. Without --model it is the session's own model."
        ])

    static let flags: [Flag<Options>] = ModelFlags.weights() + ModelFlags.compute() + CommonFlags.general()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let (session, store) = try History(context).session(operands, command: manual)
        guard session.state == .recovered || session.state == .open else {
            throw HistoryError.nothingToRecover(name: session.title)
        }
        let recovery = try History.told { try SessionRecovery(session, in: store.path) }
        let start: Double?
        do { start = recovery.isWorthwhile ? try await recovery.findSpeech() : nil } catch {
            throw EngineErrors.report(error) ?? error
        }
        guard let start else {
            try History.told { try recovery.finish() }
            context.streams.writeError("0 finals recovered\n")
            return .success
        }
        var options = options
        options.model = options.model ?? FilePath(session.model)
        let choice = try ModelChoice(options, context: context)
        let screen = Screen(
            streams: context.streams, environment: context.environment, quiet: false, verbose: false, progress: true,
            color: .auto)
        let compute = options.compute
        let recognizer: Recognizer
        do { recognizer = try await Recognizer(model: choice.path, options: compute) } catch {
            throw EngineErrors.report(error) ?? error
        }
        let work = RecognitionTask()
        let listener = RecoveryListener(recovery: recovery, screen: screen, work: work)
        var transcription = TranscriptionOptions()
        transcription.wordTimestamps = true
        transcription.decoding.language = session.language
        transcription.offset = start
        let task = Task { [transcription] in
            try await recognizer.transcribe(recovery.source, options: transcription) { listener.hear($0) }
        }
        work.start(task)
        context.signals.keepsWork { work.cancel() }
        let result = await task.result
        screen.hideProgress()
        if let failure = listener.failure { throw EngineErrors.report(failure) ?? failure }
        switch result {
        case .success:
            try History.told { try recovery.finish() }
            screen.note("\(listener.count) final\(listener.count == 1 ? "" : "s") recovered")
            return .success
        case .failure(let error):
            if let status = context.signals.received { return status }
            throw EngineErrors.report(error) ?? error
        }
    }
}
