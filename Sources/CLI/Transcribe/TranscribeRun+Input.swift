import WhisperEngine

extension TranscribeRun {
    /// How the transcription of an input ended.
    enum Outcome {
        case done
        /// All its output files already existed.
        case skipped
        /// Ended early, by a signal or because the output has no reader any more.
        case stopped
    }

    /// Transcribes one input and writes its files.
    ///
    /// - Parameter entry: `nil` writes no files.
    func transcribe(_ input: Input, to entry: OutputPlan.Entry?, with recognizer: Recognizer) async throws -> Outcome {
        if options.skipsExisting, let entry, entry.isComplete {
            console.note("skipping \(input.name): its output files exist")
            return .skipped
        }
        let lock = try entry?.lock()
        defer { lock?.release() }
        let source = try open(input)
        let recognition = RecognitionTask()
        let display = TranscribeDisplay(
            console: console, line: line, language: options.transcription.decoding.language,
            duration: source.duration.map { $0 / .seconds(1) },
            // If files were requested they are still written.
            onLostOutput: { [writesFiles = entry != nil] in if !writesFiles { recognition.cancel() } })
        let transcription = options.transcription
        let task = Task {
            try await recognizer.transcribe(source, options: transcription) { display.show($0) }
        }
        recognition.start(task)
        context.signals.onInterrupt {
            recognition.cancel()
        } saveOnCrash: {
            AtomicFile.removeLeftovers()
            try? writePartial(display.transcript, to: entry)
        }
        defer { context.signals.endWork() }
        let result = await task.result
        console.hideProgress()
        switch result {
        case .success(let transcript):
            try finish(transcript, of: input, source: source, to: entry, display: display)
            if let failure = display.failure { throw failure }
            return .done
        case .failure(let error):
            if let failure = display.failure { throw failure }
            try writePartial(display.transcript, to: entry)
            if context.signals.received != nil {
                console.note("stopped at \(display.position)")
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

    private func open(_ input: Input) throws -> any AudioSource {
        let onWaiting: @Sendable () -> Void = { [console, streams = context.streams] in
            if streams.errorIsTerminal { console.note("waiting for data from \(input.name) (Ctrl-C to stop)") }
        }
        let audio = AudioOptions(track: options.track, raw: options.raw, onWaiting: onWaiting)
        switch input {
        case .standardInput: return try AudioFile.open(descriptor: 0, options: audio)
        case .file(let path): return try AudioFile.open(path, options: audio)
        }
    }

    private func finish(
        _ transcript: Transcript, of input: Input, source: any AudioSource, to entry: OutputPlan.Entry?,
        display: TranscribeDisplay
    ) throws {
        for warning in source.warnings {
            switch warning.level {
            case .detail: console.detail("\(input.name): \(warning.text)")
            case .note: console.note("note: \(input.name): \(warning.text)")
            case .warning: console.warning("\(input.name): \(warning.text)")
            }
        }
        let offset = options.offset ?? 0
        let clips = options.transcription.clipTimestamps
        let start = max(offset, stride(from: 0, to: clips.count, by: 2).map { clips[$0] }.min() ?? 0)
        var written = transcript
        if start > 0, transcript.duration == 0 || start >= offset + transcript.duration {
            console.warning("\(input.name): there is no audio after \(Timestamp.clock(start))")
        } else if transcript.duration > 0, transcript.segments.allSatisfy({ $0.text.isEmpty }) {
            console.warning("\(input.name): no speech found")
            // The reference keeps a segment without text for its times; in silence there are none to keep.
            if display.isSilent { written.segments = [] }
        }
        if let entry {
            try write(written, to: entry)
            for output in entry.outputs { console.detail("wrote \(output.path)") }
        }
        let elapsed = max(display.elapsed, 0.001)
        console.detail(
            "\(Timestamp.clock(transcript.duration)) in \(ProgressLine.oneDecimal(elapsed)) s, "
                + "\(ProgressLine.oneDecimal(transcript.duration / elapsed)) times real time")
    }

    /// Writes the finals so far under the names of partial files.
    private func writePartial(_ transcript: Transcript, to entry: OutputPlan.Entry?) throws {
        guard let entry, !transcript.segments.isEmpty else { return }
        try write(transcript, to: entry, isComplete: false)
        for output in entry.outputs { console.note("partial transcript: \(output.partialPath)") }
    }

    /// Writes the files. If that fails, the text is printed even if it was not requested: it may have taken hours.
    private func write(_ transcript: Transcript, to entry: OutputPlan.Entry, isComplete: Bool = true) throws {
        let settings = WriterSettings(
            subtitles: options.subtitles, origin: TranscriptOrigin(version: Version.text, model: modelName))
        do {
            try entry.write(transcript, settings: settings, isComplete: isComplete)
        } catch {
            if error.category == .ioError, !options.printsText {
                let line = SegmentLine(
                    showsTimestamps: options.showsTimestamps, colorsWords: false,
                    forTerminal: context.streams.outputIsTerminal)
                for segment in transcript.segments { try? console.output(line.text(of: segment)) }
            }
            throw error
        }
    }
}
