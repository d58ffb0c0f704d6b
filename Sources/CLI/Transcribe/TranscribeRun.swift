import WhisperEngine

/// One run of `transcribe`: checks everything that can be checked in advance, loads the model, then transcribes one input
/// after the other (`TranscribeRun+Input.swift`).
struct TranscribeRun {
    private(set) var options: TranscribeOptions
    let context: CommandContext
    let console: Console
    /// Set once the model has been chosen.
    private(set) var modelName = ""

    private var done = 0
    private var skipped = 0
    private var failed = 0
    /// The status of the first failure.
    private var status = ExitStatus.success

    init(_ options: TranscribeOptions, context: CommandContext) {
        self.options = options
        self.context = context
        console = Console(
            streams: context.streams, environment: context.environment, quiet: options.verbosity == .quiet,
            verbose: options.verbosity == .verbose, progress: options.showsProgress, color: options.color)
    }

    mutating func run(_ operands: [[UInt8]]) async throws -> ExitStatus {
        for warning in TranscribeChecks(options: options).warnings { console.warning(warning) }
        let inputs = openable(InputList(operands, standardInput: context.streams.input))
        guard !inputs.isEmpty else { return summarize(total: operands.count) }
        if options.printsText, context.streams.outputIsClosed { throw StreamError.closed }
        let model = try ModelChoice(options, context: context)
        modelName = model.name
        if options.findsSpeech || options.engine.guards {
            let voice = try VoiceActivityChoice(options, search: model.search)
            for warning in voice.warnings { console.warning(warning) }
            console.detail(voice.detail)
            if options.findsSpeech { options.engine.voiceActivity = voice.engine }
            options.engine.guardDetector = voice.engine.detector
        }
        if options.speakers.isOn, options.channels == .mix {
            let speakers = try SpeakerChoice(options, search: model.search)
            console.detail(speakers.detail)
            options.engine.speakers = speakers.engine
        }
        let missing = missingFolders
        // A run that writes no files leaves no folders behind.
        let removeFolders: @Sendable () -> Void = { for folder in missing { DiskAccess.remove(emptyFolder: folder) } }
        defer { removeFolders() }
        let plan = try outputPlan(inputs)
        context.signals.beforeAbort(removeFolders)
        // Opening a compressed recording loads FFmpeg, which takes as long as a small model.
        let first = inputs.first.flatMap { openEarly($0) }
        let recognizer = try await load(model)
        let total = inputs.count + failed
        for (index, input) in inputs.enumerated() {
            if total > 1 { console.note("\(input.name):") }
            do {
                switch try await transcribe(
                    input, to: plan?.entries[index], with: recognizer, opened: index == 0 ? first : nil)
                {
                case .done: done += 1
                case .skipped: skipped += 1
                case .stopped: break
                }
            } catch let error as StreamError {
                // The other inputs could not be printed either.
                throw error
            } catch let error as any ReportedError {
                fail(error.report)
            }
            if let status = context.signals.received { return status }
            if context.streams.isReaderGone, !options.writesFiles { return .success }
        }
        return summarize(total: total)
    }

    /// Returns the inputs that can be opened and reports the others.
    private mutating func openable(_ list: InputList) -> [Input] {
        for input in list.repeated { console.note("note: \(input.name) is given twice, transcribing it once") }
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

    /// Why a path cannot be opened; the contents of a readable file are checked only when it is transcribed.
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
            return error.report
        }
    }

    private mutating func fail(_ report: ErrorReport) {
        console.report(report)
        failed += 1
        if status == .success { status = report.status }
    }

    /// The folders that must be created for the output, deepest first.
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
        let plan = try OutputPlan(
            inputs: inputs.map(\.path), formats: options.writtenFormats, folder: options.folder ?? FilePath("."))
        try plan.prepare()
        context.signals.beforeAbort { AtomicFile.removeLeftovers() }
        return plan
    }

    private func load(_ model: ModelChoice) async throws -> Recognizer {
        let cores = Processor.availableCores
        if let threads = options.compute.threads, threads > cores {
            console.detail("\(threads) threads on \(cores) cores: more threads than cores are slower")
        }
        var compute = options.compute
        compute.decoding = options.transcription.decodingCapacity
        let recognizer = try await model.load(compute, console: console)
        try ModelChecks(model: recognizer, name: model.name, options: options, search: model.search)
            .check(console: console)
        return recognizer
    }

    private func summarize(total: Int) -> ExitStatus {
        if total > 1 {
            var counts = ["\(done) done"]
            if skipped > 0 { counts.append("\(skipped) skipped") }
            if failed > 0 { counts.append("\(failed) failed") }
            console.note(counts.joined(separator: ", "))
        }
        return status
    }
}
