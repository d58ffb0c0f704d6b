import WhisperEngine

/// One run of `align`: reads the text, recognizes the recording, writes the text with its times.
struct AlignRun {
    private let options: AlignOptions
    private let context: CommandContext
    private let console: Console

    init(_ options: AlignOptions, context: CommandContext) {
        self.options = options
        self.context = context
        console = Console(
            streams: context.streams, environment: context.environment, verbosity: options.verbosity,
            progress: options.showsProgress, color: .auto)
    }

    func run(_ operand: [UInt8], text: [UInt8]) async throws -> ExitStatus {
        let input = try input(operand)
        let (script, file) = try read(text)
        if options.printsText, context.streams.outputIsClosed { throw StreamError.closed }
        let transcription = options.transcription
        let model = try ModelChoice(
            options, for: .recordings,
            suits: { ModelChecks.suits(transcription, $0, given: options.given) }, context: context)
        let created = options.writesFiles ? missingFolders(options.folder ?? FilePath(".")) : []
        // Without results they are empty.
        defer { for folder in created { DiskAccess.remove(emptyFolder: folder) } }
        let entry = try outputs(of: input, text: file)
        let lock = try entry?.lock()
        defer { lock?.release() }
        let recognizer = try await load(model, transcription)
        let alignment = try await align(script, with: input, recognizer, model.search)
        guard let alignment else { return context.signals.received ?? .success }
        try show(alignment, areCues: script.areCues)
        if let entry {
            let settings = WriterSettings(
                subtitles: options.subtitles(for: script),
                origin: TranscriptOrigin(version: Version.text, model: model.name),
                recording: String(decoding: entry.recording.bytes, as: UTF8.self))
            try entry.write(alignment.transcript, settings: settings)
            for output in entry.outputs { console.detail("wrote \(output.path)") }
        }
        report(alignment, areCues: script.areCues)
        return .success
    }

    private func input(_ operand: [UInt8]) throws -> Input {
        guard operand == Array("-".utf8) else { return .file(FilePath(bytes: operand)) }
        switch context.streams.input {
        case .closed: throw InputError.standardInputClosed
        case .terminal: throw InputError.standardInputTerminal
        case .readable: return .standardInput
        }
    }

    private func read(_ text: [UInt8]) throws -> (AlignmentScript, FilePath) {
        let file = text == Array("-".utf8) ? FilePath("/dev/stdin") : FilePath(bytes: text)
        do {
            return (try AlignmentScript(contentsOf: file), file)
        } catch { throw error.report(of: text == Array("-".utf8) ? "the text on standard input" : "\(file)") }
    }

    private func outputs(of input: Input, text: FilePath) throws -> OutputPlan.Entry? {
        guard options.writesFiles else { return nil }
        var plan = try OutputPlan(
            inputs: [input.path], formats: options.writtenFormats, folder: options.folder ?? FilePath("."))
        plan.otherInputs = [text]
        try plan.prepare()
        context.signals.beforeAbort { AtomicFile.removeLeftovers() }
        return plan.entries.first
    }

    /// A folder and those above it, as far as they do not exist.
    private func missingFolders(_ folder: FilePath) -> [FilePath] {
        var (missing, place) = ([FilePath](), folder)
        while (try? DiskAccess.status(of: place, followingLinks: true)) == nil, place.folder != place {
            missing.append(place)
            place = place.folder
        }
        return missing
    }

    private func load(_ model: ModelChoice, _ transcription: TranscriptionOptions) async throws -> Recognizer {
        var compute = options.compute
        compute.decoding = transcription.decodingCapacity
        let recognizer = try await model.load(compute, console: console)
        try ModelChecks(
            model: recognizer, name: model.name, options: transcription, given: options.given,
            defaults: WhisperOptions(), search: model.search
        ).check(console: console)
        return recognizer
    }

    /// - Returns: `nil` if a signal ended it early.
    private func align(
        _ script: AlignmentScript, with input: Input, _ recognizer: Recognizer, _ search: ModelSearch
    ) async throws -> TextAlignment? {
        var transcription = options.transcription.suited(to: recognizer.model.traits)
        transcription.guardDetector = try .installed(search)
        let source = try open(input)
        let recognition = RecognitionTask<TextAlignment>()
        let display = TranscribeDisplay(
            console: console, line: nil, language: transcription.language, isMixed: false,
            duration: source.duration.map { $0 / .seconds(1) }, onLostOutput: {})
        let task = Task { [options, transcription] in
            try await recognizer.align(script, with: source, options: transcription, near: options.near) {
                display.show($0)
            }
        }
        recognition.start(task)
        context.signals.onInterrupt {
            recognition.cancel()
        } saveOnCrash: {
            AtomicFile.removeLeftovers()
        }
        defer { context.signals.endWork() }
        let result = await task.result
        console.hideProgress()
        switch result {
        case .success(let alignment): return alignment
        case .failure(let error as AlignmentError): throw error.report(of: input)
        case .failure(let error):
            guard context.signals.received != nil else { throw error }
            console.note("stopped at \(display.position)")
            return nil
        }
    }

    private func open(_ input: Input) throws -> any AudioSource {
        let audio = AudioOptions(
            track: options.track,
            onWaiting: {
                if context.streams.errorIsTerminal {
                    console.note("waiting for data from \(input.name) (Ctrl-C to stop)")
                }
            })
        switch input {
        case .standardInput: return try AudioFile.open(descriptor: 0, options: audio)
        case .file(let path): return try AudioFile.open(path, options: audio)
        }
    }

    private func show(_ alignment: TextAlignment, areCues: Bool) throws {
        guard options.printsText else { return }
        let line = SegmentLine(showsTimestamps: options.showsTimestamps, colorsWords: false)
        for segment in alignment.transcript.segments {
            var segment = segment
            segment.text = segment.text.replacing("\n", with: " ")
            if segment.isSpoken || !options.showsTimestamps {
                try console.output(line.text(of: segment))
            } else {
                try console.output("[not said]  \(TerminalText(line: WhiteSpace.strip(segment.text)))\n")
            }
            if context.streams.isReaderGone { return }
        }
    }

    /// Says what differs.
    private func report(_ alignment: TextAlignment, areCues: Bool) {
        let words = Counted.text(alignment.wordCount, "word")
        var texts = [
            alignment.spokenCount == alignment.wordCount
                ? "all \(words) of the text are said"
                : "\(alignment.spokenCount) of \(words) of the text are said"
        ]
        let added = alignment.additions.reduce(0) { $0 + $1.wordCount }
        if added > 0 {
            texts.append("\(Counted.text(added, "word")) said \(added == 1 ? "is" : "are") not in the text")
        }
        let isComplete = alignment.omissions.isEmpty && added == 0
        console.note(
            texts.joined(separator: "; ")
                + (isComplete || options.verbosity == .verbose ? "" : " (--verbose lists them)"))
        for omission in alignment.omissions {
            let segment = alignment.transcript.segments[omission.passage]
            console.detail(
                "\(areCues ? "cue" : "passage") \(omission.passage + 1), near \(Timestamp.clock(segment.start)): not said: "
                    + ShellQuoting.quoted(omission.text))
        }
        for addition in alignment.additions {
            console.detail(
                "\(Timestamp.span(from: addition.start, to: addition.end)) not in the text: "
                    + ShellQuoting.quoted(addition.text))
        }
    }
}
