import WhisperEngine

/// One input of a run of `transcribe`: locks its output files, opens it, shows the text as it is recognized, and writes
/// the files.
struct InputTranscription {
    /// How the transcription ended.
    enum Outcome {
        case done(Transcript)
        /// All its output files already existed.
        case skipped
        /// Ended early, by a signal or because the output has no reader any more.
        case stopped
        /// Another run is writing the same output files.
        case busy
        case failed(any ReportedError)
    }

    let input: Input
    /// `nil` writes no files.
    let files: OutputPlan.Entry?
    let options: TranscribeOptions
    let provenance: Provenance
    let context: CommandContext
    let console: Console
    let running: RunningTranscriptions
    /// Its place in the run; `nil` if it is the only input.
    var place: RunPlace?

    /// Whether nothing is left to do.
    var isCurrent: Bool {
        guard options.skipsExisting, let files else { return false }
        return OutputStamp.isCurrent(files, provenance)
    }

    /// Whether it is a regular file, which can be read without waiting for a writer.
    var isFile: Bool {
        guard case .file(let path) = input, case .success(let status) = FileSystem.status(path) else { return false }
        return status.kind == .file
    }

    /// Transcribes the input and writes its files.
    ///
    /// - Parameters:
    ///   - opening: the input if it is being opened already.
    ///   - waits: whether to wait for another run that is writing the same files, with `--skip-existing`.
    func run(with recognizer: Recognizer, opening: OpeningInput?, waits: Bool) async throws -> Outcome {
        // Neither the folder of a recording nor that of another program's outputs is ours.
        defer {
            if options.manner == nil, !options.isBeside {
                files?.removeEmptyFolders(upTo: options.folder ?? FilePath("."))
            }
        }
        var lock: OutputLock?
        while let files, lock == nil {
            do {
                lock = try files.lock()
            } catch {
                guard case .busy = error, options.skipsExisting else { throw error }
                if context.signals.received != nil { return .stopped }
                guard waits else { return .busy }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        defer { lock?.release() }
        // It may have been written since it was last looked at.
        if isCurrent { return .skipped }
        let sources = try await opening?.value ?? open()
        if options.channels == .split { try checkChannels(sources.count) }
        let recognition = RecognitionTask<Transcript>()
        let made = resumable
        let earlier = made.flatMap { made in
            files.flatMap { ResumePoint($0.resumePath, made: made, channels: sources.count) }
        }
        let saver = made.flatMap { made in
            files.map {
                ResumePoint.Saver(
                    $0.resumePath, made: made, channels: sources.count, after: earlier,
                    language: options.transcription.language)
            }
        }
        let display = TranscribeDisplay(
            console: console, line: line, place: place, resumed: earlier?.position ?? 0,
            printsProgress: options.manner?.printsProgress == true, language: options.transcription.language,
            isMixed: options.transcription.multilingual,
            duration: sources.first.flatMap { source in source.duration.map { ($0 + source.start) / .seconds(1) } },
            // If files were requested they are still written.
            onLostOutput: { [writesFiles = files != nil] in if !writesFiles { recognition.cancel() } })
        if let earlier {
            console.note("continuing at \(Timestamp.clock(earlier.position)), where an earlier run was interrupted")
        }
        // The segments of several channels are merged anew.
        let before = options.channels == .mix ? earlier?.parts.first : nil
        for segment in before?.transcript.segments ?? [] where !segment.text.isEmpty { display.show(.final(segment)) }
        let count = before?.transcript.segments.count ?? 0
        let task = Task { [options] in
            var transcription = options.transcription.suited(to: recognizer.model.traits)
            switch options.channels {
            case .mix:
                transcription.resumesAt = before?.position
                return try await recognizer.transcribe(sources[0], options: transcription) { update in
                    var update = update
                    if case .final(var segment) = update {
                        segment.id += count
                        update = .final(segment)
                    }
                    saver?.note(update)
                    display.show(update)
                }
            case .split:
                return try await recognizer.transcribe(
                    channels: sources, speakers: options.speakers.names, options: transcription,
                    earlier: earlier?.parts ?? [], heard: { saver?.note($1, of: $0) }, updates: display.show)
            }
        }
        if options.manner?.isWhisperCpp == true, options.printsText { try console.output("\n") }
        recognition.start(task)
        let number = running.add {
            recognition.cancel()
        } save: {
            saver?.save()
            try? writePartial(display.transcript)
        }
        defer { running.remove(number) }
        let result = await task.result
        console.hideProgress()
        switch result {
        case .success(let found):
            let transcript = before.map { found.continuing($0.transcript) } ?? found
            try finish(transcript, of: sources, display: display)
            if let files { AtomicFile.remove(files.resumePath) }
            if let failure = display.failure { throw failure }
            return .done(transcript)
        case .failure(let error):
            if let failure = display.failure { throw failure }
            saver?.save()
            try writePartial(display.transcript)
            let isStopped = context.signals.received != nil
            if isStopped { console.note("stopped at \(display.position)") }
            guard isStopped || error is CancellationError else { throw error }
            return .stopped
        }
    }

    /// The recording, the model and the options, if an interrupted transcription of it can be continued: not one of a pipe,
    /// and not where times go back from clip to clip. Other programs' folders get no files of ours.
    private var resumable: String? {
        let clips = options.transcription.clipTimestamps
        guard files != nil, options.manner == nil, case .file(let path) = input,
            case .success(let status) = FileSystem.status(path), status.kind == .file, clips == clips.sorted()
        else { return nil }
        let recording = "\(status.size) \(status.modified.seconds) \(status.modified.nanoseconds)"
        return "\(recording) \(provenance.modelBytes) \(provenance.options) \(provenance.model)"
    }

    private var line: SegmentLine? {
        guard options.printsText else { return nil }
        let isTerminal = context.streams.outputIsTerminal
        let isColored = options.color.isOn(onTerminal: isTerminal, environment: context.environment)
        return SegmentLine(
            showsTimestamps: options.showsTimestamps, showsHours: options.manner?.isWhisperCpp == true,
            colorsWords: options.printsColors && isColored,
            colorsSpeakers: options.speakers.isOn && isColored)
    }

    /// An input that is being opened.
    typealias OpeningInput = Task<[any AudioSource], any Error>

    /// Opens a file in the background; `nil` for pipes, which may wait for their writers.
    func openEarly() -> OpeningInput? {
        isFile ? Task.detached { [self] in try open() } : nil
    }

    /// Opens the input: its channels if they are to be split, else a single source.
    private func open() throws -> [any AudioSource] {
        let onWaiting: @Sendable () -> Void = { [self] in
            if context.streams.errorIsTerminal { console.note("waiting for data from \(input.name) (Ctrl-C to stop)") }
        }
        let audio = AudioOptions(
            track: options.track, raw: options.raw, clock: options.audioClock, onWaiting: onWaiting)
        switch (input, options.channels) {
        case (.standardInput, .mix): return [try AudioFile.open(descriptor: 0, options: audio)]
        case (.standardInput, .split): return try AudioFile.openChannels(descriptor: 0, options: audio)
        case (.file(let path), .mix): return [try AudioFile.open(path, options: audio)]
        case (.file(let path), .split): return try AudioFile.openChannels(path, options: audio)
        }
    }

    private func checkChannels(_ count: Int) throws {
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
    private func showWarnings(of sources: [any AudioSource]) {
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

    private func finish(_ transcript: Transcript, of sources: [any AudioSource], display: TranscribeDisplay) throws {
        display.showEnd()
        showWarnings(of: sources)
        let offset = options.offset ?? 0
        let delay = (sources.first?.start ?? .zero) / .seconds(1)
        let clips = options.transcription.clipTimestamps
        let start = max(offset, stride(from: 0, to: clips.count, by: 2).map { clips[$0] }.min() ?? 0)
        var written = transcript
        if start > 0, transcript.duration == 0 || start >= max(offset, delay) + transcript.duration {
            console.warning("\(input.name): there is no audio after \(Timestamp.clock(start))")
        } else if transcript.duration > 0, transcript.segments.allSatisfy({ $0.text.isEmpty }) {
            console.warning("\(input.name): no speech found")
            // The reference keeps a segment without text for its times; in silence there are none to keep.
            if display.isSilent { written.segments = [] }
        }
        if let files {
            try write(written, to: files)
            for output in files.outputs {
                if options.manner?.isWhisperCpp == true {
                    let path = output.path.description
                    let shown = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
                    console.note("output_\(output.format.rawValue): saving output to '\(shown)'")
                } else {
                    console.detail("wrote \(output.path)")
                }
            }
        }
        let elapsed = max(display.elapsed, 0.001)
        console.detail(
            "\(Timestamp.clock(transcript.duration)) in \(OneDecimal.text(elapsed)) s, "
                + "\(OneDecimal.text(transcript.duration / elapsed)) times real time")
    }

    /// Writes the finals so far under the names of partial files.
    private func writePartial(_ transcript: Transcript) throws {
        guard let files, !transcript.segments.isEmpty, options.manner == nil else { return }
        try write(transcript, to: files, isComplete: false)
        for output in files.outputs { console.note("partial transcript: \(output.partialPath)") }
    }

    /// Writes the files. If that fails, the text is printed even if it was not requested: it may have taken hours.
    private func write(_ transcript: Transcript, to files: OutputPlan.Entry, isComplete: Bool = true) throws {
        var settings = WriterSettings(
            subtitles: options.shapedSubtitles,
            origin: TranscriptOrigin(version: Version.text, model: provenance.model),
            recording: String(decoding: files.recording.bytes, as: UTF8.self), paragraphs: options.hasParagraphs)
        if options.manner?.isWhisperCpp == true {
            settings.layout = .whisperCpp(isTranslated: options.task == .translate)
        }
        do {
            let earlier = OutputStamp(files.stampPath)
            if isComplete { AtomicFile.remove(files.stampPath) }
            try files.write(transcript, settings: settings, isComplete: isComplete)
            if isComplete, options.manner == nil { try OutputStamp.write(provenance, for: files, earlier: earlier) }
        } catch {
            if error.report.status == .inputOutput, !options.printsText {
                let line = SegmentLine(showsTimestamps: options.showsTimestamps, colorsWords: false)
                for segment in transcript.segments { try? console.output(line.text(of: segment)) }
            }
            throw error
        }
    }
}
