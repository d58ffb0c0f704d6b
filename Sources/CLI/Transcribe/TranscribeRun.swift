import WhisperEngine

/// One run of `transcribe`: checks everything that can be checked in advance, loads the model, then transcribes the inputs, as
/// many at a time as there are threads, and shows and counts one after the other.
struct TranscribeRun {
    private var options: TranscribeOptions
    private let context: CommandContext
    private let console: Console
    /// Set once the model has been chosen.
    private var provenance: Provenance?
    private var report: ReportFile?
    /// Loaded for the first input that needs it.
    private var loaded: Recognizer?
    /// Recognizers that are free, with the weights of `loaded`.
    private var idle: [Recognizer] = []
    /// The number of recordings at a time.
    private var atOnce = 1
    private let running: RunningTranscriptions

    private var done = 0
    private var skipped = 0
    private var failed = 0
    /// What failed, and how many recordings had been done by then.
    private var failures: [(what: String, done: Int)] = []
    /// When the first recording was begun that had to be transcribed.
    private var began: ContinuousClock.Instant?
    /// The bytes of those recordings.
    private var begunBytes = 0.0
    /// The status of the first failure.
    private var status = ExitStatus.success

    init(_ options: TranscribeOptions, context: CommandContext) {
        self.options = options
        self.context = context
        running = RunningTranscriptions(context.signals)
        console = Console(
            streams: context.streams, environment: context.environment, verbosity: options.verbosity,
            progress: options.showsProgress, color: options.color)
    }

    mutating func run(_ operands: [[UInt8]]) async throws -> ExitStatus {
        for warning in TranscribeChecks(options: options).warnings { console.warning(warning) }
        try options.vocabulary.load(context.environment)
        if let detail = options.vocabulary.detail { console.detail(detail) }
        let list = try inputs(operands)
        if let path = options.report { report = try ReportFile(path) }
        let (recordings, unopened) = openable(list)
        guard !recordings.isEmpty else {
            try log(unopened)
            return summarize(total: list.items.count)
        }
        if options.printsText, context.streams.outputIsClosed { throw StreamError.closed }
        let model = try ModelChoice(options, for: .recordings, suits: suits, context: context)
        try chooseDetector(model.search)
        if options.speakers.isOn, options.channels == .mix {
            let speakers = try SpeakerChoice(
                options.speakers, options.compute.computeType, search: model.search, environment: context.environment)
            console.detail(speakers.detail)
            if let warning = speakers.warning { console.warning(warning) }
            options.engine.speakers = speakers.engine
        }
        let provenance = Provenance(model, options: options)
        self.provenance = provenance
        let missing = missingFolders
        // A run that writes no files leaves no folders behind.
        let removeFolders: @Sendable () -> Void = { for folder in missing { DiskAccess.remove(emptyFolder: folder) } }
        defer { removeFolders() }
        let plan = try outputPlan(recordings)
        context.signals.beforeAbort(removeFolders)
        try log(unopened)
        let total = recordings.count + failed
        var pending = Array(recordings.indices)
        let sizes = total > 1 ? recordings.map { Self.size(of: $0.input) } : []
        // What another run is writing comes last: it may be ready by then.
        for waits in [!options.skipsExisting, true] where !pending.isEmpty {
            var busy: [Int] = []
            var queue: [Begun] = []
            var next = 0
            do {
                while next < pending.count || !queue.isEmpty {
                    while next < pending.count, queue.count < atOnce {
                        let index = pending[next]
                        var recording = InputTranscription(
                            input: recordings[index].input, files: plan?.entries[index], options: options,
                            provenance: provenance, context: context,
                            console: queue.isEmpty ? console : console.waiting(), running: running)
                        // Whoever writes into a pipe may be waiting for the transcripts before it.
                        guard queue.isEmpty || recording.isFile else { break }
                        if total > 1 {
                            recording.console.note("\(recording.input.name):")
                            let after = (pending[(next + 1)...] + busy).reduce(0) { $0 + sizes[$1] }
                            recording.place = RunPlace(
                                number: total - (pending.count - next + busy.count) + 1, count: total,
                                elapsed: began.map { (ContinuousClock.now - $0) / .seconds(1) } ?? 0,
                                before: begunBytes, own: sizes[index], after: after)
                        }
                        next += 1
                        queue.append(try await begin(recording, index, with: model, waits: waits))
                    }
                    let first = queue.removeFirst()
                    if try await !finish(first) { busy.append(first.index) }
                    if let status = context.signals.received {
                        await end(queue)
                        return status
                    }
                    if context.streams.isReaderGone, !options.writesFiles {
                        await end(queue)
                        return .success
                    }
                    try queue.first?.recording.console.takeTurn()
                }
            } catch {
                await end(queue)
                throw error
            }
            pending = busy
        }
        return summarize(total: total)
    }

    /// A recording that is being transcribed.
    private struct Begun {
        let index: Int
        let recording: InputTranscription
        /// `nil` if none is needed.
        let recognizer: Recognizer?
        let result: Task<Result, any Error>

        typealias Result = (outcome: InputTranscription.Outcome, seconds: Double)
    }

    /// Begins to transcribe an input.
    ///
    /// - Parameter waits: whether to wait for another run that is writing the same outputs.
    private mutating func begin(
        _ recording: InputTranscription, _ index: Int, with model: ModelChoice, waits: Bool
    ) async throws -> Begun {
        let start = ContinuousClock.now
        if recording.isCurrent {
            return Begun(index: index, recording: recording, recognizer: nil, result: Task { (.skipped, 0) })
        }
        began = began ?? start
        begunBytes += recording.place?.own ?? 0
        // Opening a compressed recording loads FFmpeg, which takes as long as a small model.
        let opening = loaded == nil ? recording.openEarly() : nil
        do throws(ModelFailure) {
            let recognizer = try await recognizer(with: model)
            let result = Task { () -> Begun.Result in
                let outcome: InputTranscription.Outcome
                do {
                    outcome = try await recording.run(with: recognizer, opening: opening, waits: waits)
                } catch let error as any ReportedError {
                    outcome = .failed(error)
                }
                return (outcome, (ContinuousClock.now - start) / .seconds(1))
            }
            return Begun(index: index, recording: recording, recognizer: recognizer, result: result)
        } catch {
            return Begun(index: index, recording: recording, recognizer: nil, result: Task { (.failed(error), 0) })
        }
    }

    /// A recognizer that is free.
    private mutating func recognizer(with model: ModelChoice) async throws(ModelFailure) -> Recognizer {
        if let free = idle.popLast() { return free }
        if let loaded { return Recognizer(sharing: loaded) }
        let first = try await load(model)
        loaded = first
        return first
    }

    /// Waits for a transcription and counts it.
    ///
    /// - Returns: false if another run is writing the same outputs, and nothing has been done.
    private mutating func finish(_ begun: Begun) async throws -> Bool {
        let recording = begun.recording
        let (outcome, seconds) = try await begun.result.value
        if let recognizer = begun.recognizer { idle.append(recognizer) }
        var line = ReportFile.Line(path: recording.input.path, outcome: .done)
        line.seconds = seconds
        switch outcome {
        case .done(let transcript):
            done += 1
            (line.duration, line.words) = (transcript.duration, transcript.wordCount)
        case .skipped:
            console.note("skipping \(recording.input.name): its output files exist")
            skipped += 1
            line.outcome = .skipped
        case .stopped: line.outcome = .stopped
        case .busy: return false
        case .failed(let error):
            line.error = error.report.what
            if endsRun(error) {
                line.outcome = .stopped
                // The report may be on the disk that is full.
                try? report?.add(line, provenance: provenance)
                throw error
            }
            line.outcome = .failed
            if options.manner?.program == .openAIWhisper {
                console.note("Skipping \(recording.input.name) due to \(error.report.what)")
            } else {
                fail(error.report)
            }
        }
        if report != nil, line.outcome != .skipped, let file = try? ReadOnlyFile(line.path) {
            line.digest = try? SHA256.hexadecimal(of: file)
        }
        try report?.add(line, provenance: provenance)
        return true
    }

    /// Cancels transcriptions, which save what they have, and counts those that are done all the same.
    private mutating func end(_ queue: [Begun]) async {
        running.cancel()
        for begun in queue {
            try? begun.recording.console.takeTurn()
            if case .done? = try? await begun.result.value.outcome { _ = try? await finish(begun) }
        }
    }

    private func suits(_ traits: ModelTraits) -> Bool {
        ModelChecks.suits(options.transcription, traits, given: options.given, defaults: options.whisperDefaults)
    }

    /// A model that cannot be used, for any recording.
    private struct ModelFailure: ReportedError {
        let report: ErrorReport
    }

    /// Whether the other inputs would fail for the same reason. Without a list the run goes on if it can, and prints the text
    /// that it cannot write.
    private func endsRun(_ error: any ReportedError) -> Bool {
        if error is StreamError || error is ModelFailure { return true }
        guard options.filesFrom != nil else { return false }
        switch error as? OutputError {
        case .noSpace, .writeFailed, .readOnlyFileSystem: return true
        case .busy: return false
        default: return error is SampleStoreError || error.report.status == .tryAgain
        }
    }

    private func inputs(_ operands: [[UInt8]]) throws -> InputList {
        guard let path = options.filesFrom else { return InputList(operands, standardInput: context.streams.input) }
        let list = try FileList(from: path, hasZeros: options.listHasZeros, streams: context.streams)
        if let shard = options.shard, 1..<list.count ~= list.timedCount {
            console.warning(
                "only \(list.timedCount) of \(list.count) entries have a duration; shard \(shard.number)/\(shard.count) is "
                    + "chosen by number of recordings, not by length")
        }
        do {
            return try InputList(list, shard: options.shard, writesFiles: options.writesFiles)
        } catch {
            let place = OutputPlace(of: error.first)
            let folder = [options.folder, place.folder].compactMap { $0 }.reduce(FilePath("")) { $0.appending($1) }
            let name = place.base.adding(".\(options.writtenFormats.first?.rawValue ?? "txt")")
            throw OutputError.sameOutput(output: folder.appending(name), first: error.first, second: error.second)
        }
    }

    private mutating func chooseDetector(_ search: ModelSearch) throws {
        guard options.findsSpeech || options.engine.guards != false else { return }
        let voice = try VoiceActivityChoice(options, search: search)
        for warning in voice.warnings { console.warning(warning) }
        options.engine.guardDetector = voice.engine.detector
        guard options.findsSpeech || options.engine.isGuarded else { return }
        console.detail(voice.detail)
        if options.findsSpeech { options.engine.voiceActivity = voice.engine }
    }

    /// An input and the subfolder for its outputs.
    private typealias Recording = (input: Input, subfolder: FilePath?, keepsExtension: Bool)

    /// Returns the inputs that can be opened, and reports the others.
    private mutating func openable(_ list: InputList) -> (recordings: [Recording], unopened: [ReportFile.Line]) {
        for input in list.repeated { console.note("note: \(input.name) is given twice, transcribing it once") }
        var recordings: [Recording] = []
        var unopened: [ReportFile.Line] = []
        for item in list.items {
            switch item {
            case .failure(let error): fail(error.report)
            case .input(let input, let subfolder, let keepsExtension):
                if case .file(let path) = input, let report = Self.problem(with: path) {
                    fail(report)
                    unopened.append(ReportFile.Line(path: path, outcome: .failed, error: report.what))
                } else {
                    recordings.append((input, subfolder, keepsExtension))
                }
            }
        }
        return (recordings, unopened)
    }

    private func log(_ lines: [ReportFile.Line]) throws {
        for line in lines { try report?.add(line, provenance: provenance) }
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
        failures.append((report.what, done))
        if status == .success { status = options.filesFrom == nil ? report.status : .badData }
    }

    /// The bytes of a file; 0 if they are unknown.
    private static func size(of input: Input) -> Double {
        guard case .file(let path) = input, case .success(let status) = FileSystem.status(path) else { return 0 }
        return status.kind == .file ? Double(status.size) : 0
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

    private func outputPlan(_ recordings: [Recording]) throws -> OutputPlan? {
        guard options.writesFiles else { return nil }
        let sources = recordings.map { recording in
            OutputPlan.Source(
                input: recording.input.path, subfolder: recording.subfolder, keepsExtension: recording.keepsExtension,
                base: options.manner?.base(of: recording.input.path))
        }
        let plan = try OutputPlan(
            sources: sources, formats: options.writtenFormats,
            folder: options.isBeside ? nil : options.folder ?? sources.first?.base?.folder ?? FilePath("."))
        try plan.prepare()
        context.signals.beforeAbort { AtomicFile.removeLeftovers() }
        return plan
    }

    /// One per thread, which waits for none of the others, if there is memory for them.
    ///
    /// - Parameter needs: the bytes that a process with one needs.
    private func recordingsAtOnce(with recognizer: Recognizer, needs: Int) -> Int {
        // One by one as other programs do, or if the text appears on a terminal, where someone may be reading it.
        guard options.manner == nil, !options.printsText || !context.streams.outputIsTerminal else { return 1 }
        let threads = recognizer.model.backend.threads
        let memory = SystemMemory.available(threads: threads) ?? 0
        return min(threads, 1 + memory / max(1, needs))
    }

    private mutating func load(_ model: ModelChoice) async throws(ModelFailure) -> Recognizer {
        let cores = Processor.availableCores
        if let threads = options.compute.threads, threads > cores {
            console.detail("\(threads) threads on \(cores) cores: more threads than cores are slower")
        }
        var compute = options.compute
        compute.decoding = options.transcription.decodingCapacity
        do {
            let recognizer = try await model.load(compute, console: console)
            try ModelChecks(
                model: recognizer, name: model.name, options: options.transcription, given: options.given,
                defaults: options.whisperDefaults, search: model.search
            ).check(console: console)
            if let stored = try? ModelFamilies.open(model.path) {
                atOnce = recordingsAtOnce(with: recognizer, needs: stored.memory(compute))
            }
            return recognizer
        } catch {
            throw ModelFailure(report: ErrorReport(error))
        }
    }

    private func summarize(total: Int) -> ExitStatus {
        if total > 1 {
            var counts = ["\(done) done"]
            if skipped > 0 { counts.append("\(skipped) skipped") }
            if failed > 0 { counts.append("\(failed) failed") }
            console.note(counts.joined(separator: ", "))
            // Those after the last recording still stand above this line.
            for failure in failures where failure.done < done { console.note("failed: \(failure.what)") }
        }
        // Other programs report such a failure, and go on.
        if let manner = options.manner, done > 0 || manner.program == .openAIWhisper { return .success }
        return status
    }
}
