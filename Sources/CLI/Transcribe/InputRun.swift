import WhisperEngine

/// The recognition of one input, from opening it to its files.
struct InputRun {
    let input: Input
    /// `nil` writes no files.
    let entry: OutputPlan.Entry?
    let options: TranscribeOptions
    let context: CommandContext
    let screen: Screen
    let modelName: String

    func run(_ recognizer: Recognizer) async throws -> Tally.Outcome {
        if options.skipsExisting, let entry, entry.isComplete {
            screen.note("\(input.name) skipped: its files are there")
            return .skipped
        }
        let lock = try entry?.lock()
        defer { lock?.release() }
        let source = try open()
        let work = Work()
        let listener = Listener(
            screen: screen, line: line, language: options.transcription.decoding.language,
            duration: source.duration.map(Self.seconds),
            // Files that were asked for are written all the same.
            onLostOutput: { [writesFiles = entry != nil] in if !writesFiles { work.cancel() } })
        let transcription = options.transcription
        let task = Task {
            try await recognizer.transcribe(source, options: transcription) { listener.hear($0) }
        }
        work.start(task)
        context.signals.keepsWork {
            work.cancel()
        } keep: {
            AtomicFile.removeLeftovers()
            try? keep(listener.transcript)
        }
        defer { context.signals.endsWork() }
        let result = await task.result
        screen.hideProgress()
        switch result {
        case .success(let transcript):
            try finish(transcript, source: source, listener: listener)
            if let failure = listener.failure { throw failure }
            return .done
        case .failure(let error):
            if let failure = listener.failure { throw failure }
            try keep(listener.transcript)
            if context.signals.received != nil {
                screen.note("stopped at \(listener.place)")
                return .stopped
            }
            if error is CancellationError { return .stopped }
            throw error
        }
    }

    private var line: SegmentLine? {
        guard options.printsText else { return nil }
        let isTerminal = context.streams.outputIsTerminal
        let isColored = options.color.isOn(onTerminal: isTerminal, environment: context.environment)
        return SegmentLine(
            showsTimestamps: options.showsTimestamps, colorsWords: options.printsColors && isColored,
            forTerminal: isTerminal)
    }

    private func open() throws -> any RecordedAudio {
        let wait: @Sendable () -> Void = { [screen, name = input.name, streams = context.streams] in
            if streams.errorIsTerminal { screen.note("waiting for data from \(name) (Ctrl-C to stop)") }
        }
        let audio = AudioOptions(track: options.track, raw: options.raw, onWaiting: wait)
        switch input {
        case .standardInput: return try AudioFile.open(descriptor: 0, options: audio)
        case .file(let path): return try AudioFile.open(path, options: audio)
        }
    }

    private func finish(_ transcript: Transcript, source: any RecordedAudio, listener: Listener) throws {
        for warning in source.warnings {
            switch warning.level {
            case .detail: screen.detail("\(input.name): \(warning.text)")
            case .note: screen.note("note: \(input.name): \(warning.text)")
            case .warning: screen.warning("\(input.name): \(warning.text)")
            }
        }
        let offset = options.offset ?? 0
        let clips = options.transcription.clipTimestamps
        let start = max(offset, stride(from: 0, to: clips.count, by: 2).map { clips[$0] }.min() ?? 0)
        var written = transcript
        if start > 0, transcript.duration == 0 || start >= offset + transcript.duration {
            screen.warning("\(input.name): nothing left to recognize behind \(TimeSyntax.clock(start))")
        } else if transcript.duration > 0, transcript.segments.allSatisfy({ $0.text.isEmpty }) {
            screen.warning("\(input.name): no speech found")
            // The reference keeps a segment without text for its times, here there is nothing that has any.
            if listener.heardSilence { written.segments = [] }
        }
        if let entry {
            try write(written, to: entry)
            for output in entry.outputs { screen.detail("wrote \(output.path)") }
        }
        let elapsed = max(listener.elapsed, 0.001)
        screen.detail(
            "\(TimeSyntax.clock(transcript.duration)) in \(ProgressLine.oneDecimal(elapsed)) s, "
                + "\(ProgressLine.oneDecimal(transcript.duration / elapsed)) times real time")
    }

    /// Writes what is final beside the intended files.
    private func keep(_ transcript: Transcript) throws {
        guard let entry, !transcript.segments.isEmpty else { return }
        try write(transcript, to: entry, isComplete: false)
        for output in entry.outputs { screen.note("so far: \(output.partialPath)") }
    }

    /// Where files cannot be written any more, text that was not to be printed is printed all the same: it may have
    /// taken hours.
    private func write(_ transcript: Transcript, to entry: OutputPlan.Entry, isComplete: Bool = true) throws {
        do {
            try entry.write(transcript, settings: settings, isComplete: isComplete)
        } catch {
            if error.category == .ioError, !options.printsText {
                let line = SegmentLine(
                    showsTimestamps: options.showsTimestamps, colorsWords: false,
                    forTerminal: context.streams.outputIsTerminal)
                for segment in transcript.segments { try? screen.output(line.text(of: segment)) }
            }
            throw error
        }
    }

    private var settings: WriterSettings {
        WriterSettings(
            subtitles: options.subtitles, origin: TranscriptOrigin(version: Version.text, model: modelName))
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
