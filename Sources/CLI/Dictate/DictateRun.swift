import WhisperEngine

/// One run of `dictate`: everything that can be checked first, then the model, then presses until the end.
struct DictateRun {
    let options: DictateOptions
    let input: AudioInput
    let context: CommandContext

    func run() async throws -> ExitStatus {
        if context.streams.outputIsClosed { throw StreamError.closed }
        let choice = try ModelChoice(options, context: context)
        let delivery = try Delivery(options, environment: context.environment)
        let source = try input.open(speed: .realTime)
        let screen = ListeningModel.screen(options, context: context)
        let journal = try SessionFolder.open(
            options, source: input.name, model: choice.name, settings: [("command", "\"dictate\"")], context: context)
        let detector = try options.makeDetector(choice.search)
        let shared = journal.map { DictationJournal($0) }
        do {
            let recognizer = try await ListeningModel.load(choice, options: options, screen: screen)
            let work = DictateWork(
                recognizer: recognizer, detector: detector, options: options, input: input, journal: shared,
                delivery: delivery, context: context)
            let status = try await work.run(source)
            try shared?.closeAll()
            return status
        } catch {
            try? shared?.closeAll()
            throw EngineErrors.report(error) ?? error
        }
    }
}
