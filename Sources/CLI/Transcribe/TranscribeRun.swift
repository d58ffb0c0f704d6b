import WhisperEngine

/// One run of `transcribe`: everything that can be checked first, then the model, then input after input.
struct TranscribeRun {
    private var options: TranscribeOptions
    let context: CommandContext
    let screen: Screen
    private var tally = Tally()

    init(_ options: TranscribeOptions, context: CommandContext) {
        self.options = options
        self.context = context
        screen = Screen(
            streams: context.streams, environment: context.environment, quiet: options.verbosity == .quiet,
            verbose: options.verbosity == .verbose, progress: options.showsProgress, color: options.color)
    }

    mutating func run(_ operands: [[UInt8]]) async throws -> ExitStatus {
        for warning in TranscribeChecks(options: options).warnings { screen.warning(warning) }
        let inputs = openable(InputList(operands, standardInput: context.streams.input))
        guard !inputs.isEmpty else { return summary(of: operands.count) }
        if options.printsText, context.streams.outputIsClosed { throw StreamError.closed }
        let choice = try ModelChoice(options, context: context)
        if options.findsSpeech {
            let voice = try VoiceActivityChoice(options, search: choice.search)
            for warning in voice.warnings { screen.warning(warning) }
            screen.detail(voice.detail)
            options.engine.voiceActivity = voice.engine
        }
        let missing = missingFolders
        // A run that writes nothing leaves nothing behind.
        let clearFolders: @Sendable () -> Void = { for folder in missing { FileSystem.removeEmptyFolder(folder) } }
        defer { clearFolders() }
        let plan = try outputPlan(inputs)
        context.signals.beforeAbort(clearFolders)
        let recognizer = try await load(choice)
        let total = inputs.count + tally.failed
        for (index, input) in inputs.enumerated() {
            if total > 1 { screen.note("\(input.name):") }
            let work = InputRun(
                input: input, entry: plan?.entries[index], options: options, context: context, screen: screen,
                modelName: choice.name)
            do {
                tally.add(try await work.run(recognizer))
            } catch let error as StreamError {
                // There is no use in going on: nobody would read the rest either.
                throw error
            } catch {
                guard let report = EngineErrors.report(error) else { throw error }
                fail(report)
            }
            if let status = context.signals.received { return status }
            if context.streams.isReaderGone, !options.writesFiles { return .success }
        }
        return summary(of: total)
    }

    /// The inputs that can be opened, the others being reported.
    private mutating func openable(_ list: InputList) -> [Input] {
        for input in list.repeated { screen.note("note: \(input.name) is given twice, recognized once") }
        var inputs: [Input] = []
        for item in list.items {
            switch item {
            case .failure(let error): fail(error.report)
            case .input(.standardInput): inputs.append(.standardInput)
            case .input(.file(let path)):
                if let report = Self.problem(with: path) { fail(report) } else { inputs.append(.file(path)) }
            }
        }
        return inputs
    }

    /// Why a path cannot be opened; the sound in a file is looked at when its turn comes.
    private static func problem(with path: FilePath) -> ErrorReport? {
        if case .success(let status) = FileSystem.status(path), status.kind == .file || status.kind == .pipe,
            FileSystem.isReadable(path)
        {
            return nil
        }
        do {
            _ = try AudioFile.open(path)
            return nil
        } catch {
            return EngineErrors.report(error)
        }
    }

    private mutating func fail(_ report: ErrorReport) {
        screen.report(report)
        tally.addFailure(report.status)
    }

    /// Folders on the way to the output that are not there yet, the deepest first.
    private var missingFolders: [FilePath] {
        guard options.writesFiles, var folder = options.folder else { return [] }
        var missing: [FilePath] = []
        while case .failure(.missing) = FileSystem.status(folder), missing.last != folder {
            missing.append(folder)
            folder = folder.folder
        }
        return missing
    }

    private func outputPlan(_ inputs: [Input]) throws -> OutputPlan? {
        guard options.writesFiles else { return nil }
        do {
            let plan = try OutputPlan(
                inputs: inputs.map(\.path), formats: options.writtenFormats, folder: options.folder ?? FilePath("."))
            try plan.prepare()
            context.signals.beforeAbort { AtomicFile.removeLeftovers() }
            return plan
        } catch {
            throw EngineErrors.report(error) ?? error
        }
    }

    private func load(_ choice: ModelChoice) async throws -> Recognizer {
        let cores = Processor.availableCores
        if let threads = options.compute.threads, threads > cores {
            screen.detail("\(threads) threads on \(cores) cores: more threads than cores is slower")
        }
        var compute = options.compute
        compute.decoding = options.transcription.decodingRoom
        let recognizer = try await choice.load(compute, screen: screen)
        try ModelChecks(model: recognizer, name: choice.name, options: options, search: choice.search)
            .check(screen: screen)
        return recognizer
    }

    private func summary(of total: Int) -> ExitStatus {
        if total > 1 {
            var parts = ["\(tally.done) done"]
            if tally.skipped > 0 { parts.append("\(tally.skipped) skipped") }
            if tally.failed > 0 { parts.append("\(tally.failed) failed") }
            screen.note(parts.joined(separator: ", "))
        }
        return tally.status
    }
}
