import WhisperEngine

extension TranscribeRun {
    /// How the transcription of an input ended.
    enum Outcome {
        case done(Transcript)
        /// All its output files already existed.
        case skipped
        /// Ended early, by a signal or because the output has no reader any more.
        case stopped
        /// Another run is writing the same output files.
        case busy
    }

    /// Whether nothing is left to do for an input.
    func isCurrent(_ entry: OutputPlan.Entry?) -> Bool {
        guard options.skipsExisting, let entry, let provenance else { return false }
        return OutputStamp.isCurrent(entry, provenance)
    }

    func skip(_ input: Input) -> Outcome {
        console.note("skipping \(input.name): its output files exist")
        return .skipped
    }

    /// Transcribes one input and writes its files.
    ///
    /// - Parameters:
    ///   - entry: `nil` writes no files.
    ///   - opened: the input if it has been opened before.
    ///   - waits: whether to wait for another run that is writing the same files, with `--skip-existing`.
    func transcribe(
        _ input: Input, to entry: OutputPlan.Entry?, with recognizer: Recognizer, opened: OpeningInput?, waits: Bool
    ) async throws -> Outcome {
        guard let entry else { return try await recognize(input, to: nil, with: recognizer, opened: opened) }
        guard let lock = try await lock(entry, waits: waits) else {
            return context.signals.received == nil ? .busy : .stopped
        }
        defer { lock.release() }
        // It may have been written since it was last looked at.
        if isCurrent(entry) { return skip(input) }
        do {
            return try await recognize(input, to: entry, with: recognizer, opened: opened)
        } catch {
            lock.release()
            entry.removeEmptyFolders(upTo: outputFolder)
            throw error
        }
    }

    /// - Returns: `nil` if another run holds a lock and there is no reason to wait for it.
    private func lock(_ entry: OutputPlan.Entry, waits: Bool) async throws -> OutputLock? {
        while true {
            do {
                return try entry.lock()
            } catch {
                guard case .busy = error, options.skipsExisting else { throw error }
            }
            guard waits, context.signals.received == nil else { return nil }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func recognize(
        _ input: Input, to entry: OutputPlan.Entry?, with recognizer: Recognizer, opened: OpeningInput?
    ) async throws -> Outcome {
        let sources = try await opened?.value ?? open(input)
        if options.channels == .split { try checkChannels(sources.count, of: input) }
        let recognition = RecognitionTask()
        let display = TranscribeDisplay(
            console: console, line: line, language: options.transcription.language,
            duration: sources.first?.duration.map { $0 / .seconds(1) },
            // If files were requested they are still written.
            onLostOutput: { [writesFiles = entry != nil] in if !writesFiles { recognition.cancel() } })
        let task = Task { [options] in
            let transcription = options.transcription.suited(to: recognizer.model.traits)
            return switch options.channels {
            case .mix:
                try await recognizer.transcribe(sources[0], options: transcription) { display.show($0) }
            case .split:
                try await recognizer.transcribe(
                    channels: sources, speakers: options.speakers.names, options: transcription
                ) { display.show($0) }
            }
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
            try finish(transcript, of: input, sources: sources, to: entry, display: display)
            if let failure = display.failure { throw failure }
            return .done(transcript)
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
            colorsSpeakers: options.speakers.isOn && isColored)
    }

    /// An input that is being opened.
    typealias OpeningInput = Task<[any AudioSource], any Error>

    /// Opens a file in the background; `nil` for pipes, which may wait for their writers.
    func openEarly(_ input: Input) -> OpeningInput? {
        guard case .file(let path) = input, case .success(let status) = FileSystem.status(path), status.kind == .file
        else { return nil }
        return Task.detached { [self] in try open(input) }
    }

    /// Opens an input: its channels if they are to be split, else a single source.
    private func open(_ input: Input) throws -> [any AudioSource] {
        let onWaiting: @Sendable () -> Void = { [console, streams = context.streams] in
            if streams.errorIsTerminal { console.note("waiting for data from \(input.name) (Ctrl-C to stop)") }
        }
        let audio = AudioOptions(track: options.track, raw: options.raw, onWaiting: onWaiting)
        switch (input, options.channels) {
        case (.standardInput, .mix): return [try AudioFile.open(descriptor: 0, options: audio)]
        case (.standardInput, .split): return try AudioFile.openChannels(descriptor: 0, options: audio)
        case (.file(let path), .mix): return [try AudioFile.open(path, options: audio)]
        case (.file(let path), .split): return try AudioFile.openChannels(path, options: audio)
        }
    }

    private func checkChannels(_ count: Int, of input: Input) throws {
        let names = options.speakers.names.count
        guard names == 0 || names == count else { throw WrongNameCount(names: names, channels: count, input: input) }
        if count == 1 { console.warning("\(input.name) has only one channel; transcribing it as one speaker") }
    }

    private struct WrongNameCount: ReportedError {
        let names: Int
        let channels: Int
        let input: Input

        var report: ErrorReport {
            ErrorReport(
                .usage,
                "--speaker-names has \(Counted.text(names, "name")), but \(input.name) has "
                    + Counted.text(channels, "channel"),
                advice: "give one name for each channel")
        }
    }

    /// Shows what was unusual about the audio; what concerns only some of the channels is shown with their numbers.
    private func showWarnings(_ sources: [any AudioSource], of input: Input) {
        let warnings = sources.map(\.warnings)
        for (index, warning) in warnings.enumerated().flatMap({ index, list in list.map { (index, $0) } }) {
            let isCommon = warnings.allSatisfy { $0.contains(warning) }
            if isCommon, index > 0 { continue }
            let text = (isCommon ? "" : "channel \(index + 1): ") + warning.text
            switch warning.level {
            case .detail: console.detail("\(input.name): \(text)")
            case .note: console.note("note: \(input.name): \(text)")
            case .warning: console.warning("\(input.name): \(text)")
            }
        }
    }

    private func finish(
        _ transcript: Transcript, of input: Input, sources: [any AudioSource], to entry: OutputPlan.Entry?,
        display: TranscribeDisplay
    ) throws {
        showWarnings(sources, of: input)
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
            "\(Timestamp.clock(transcript.duration)) in \(OneDecimal.text(elapsed)) s, "
                + "\(OneDecimal.text(transcript.duration / elapsed)) times real time")
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
            subtitles: options.subtitles,
            origin: TranscriptOrigin(version: Version.text, model: provenance?.model ?? ""),
            recording: String(decoding: entry.recording.bytes, as: UTF8.self))
        do {
            let earlier = OutputStamp(entry.stampPath)
            if isComplete { AtomicFile.remove(entry.stampPath) }
            try entry.write(transcript, settings: settings, isComplete: isComplete)
            if isComplete, options.writesStamps, let provenance {
                try OutputStamp.write(provenance, for: entry, earlier: earlier)
            }
        } catch {
            if error.category == .ioError, !options.printsText {
                let line = SegmentLine(
                    showsTimestamps: options.showsTimestamps, colorsWords: false)
                for segment in transcript.segments { try? console.output(line.text(of: segment)) }
            }
            throw error
        }
    }
}
