/// Recognizes recordings with one model, one after another.
public actor Recognizer {
    public nonisolated let model: WhisperModel
    public nonisolated let tokenizer: Tokenizer
    private var scratch: SoloNetwork?
    private nonisolated let executor: ComputeExecutor

    /// A recognition keeps its thread busy, so it has one of its own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Loads a model.
    ///
    /// - Throws: `ModelError` for a file that is no model, `ComputeError` where memory or a library is missing.
    public init(model path: FilePath, options: ComputeOptions = ComputeOptions()) async throws {
        let executor = ComputeExecutor()
        model = try await executor.result { try WhisperModel(GGMLFile(path), options: options) }
        tokenizer = Tokenizer(vocabulary: model.vocabulary)
        self.executor = executor
    }

    package init(_ file: any WeightFile, backend: any ComputeBackend) throws {
        model = try WhisperModel(file, backend: backend)
        tokenizer = Tokenizer(vocabulary: model.vocabulary)
        executor = ComputeExecutor()
    }

    /// Writes down a recording.
    ///
    /// - Parameter updates: told volatile text while a window is decoded, each segment when it is final, and how far
    ///   the recognition has come. Segments without text are left out.
    /// - Throws: what `source` throws (a failure of reading midway after what was read before has been recognized),
    ///   `CancellationError` between two tokens when the task is cancelled.
    public func transcribe(
        _ source: some AudioSource, options: TranscriptionOptions = TranscriptionOptions(),
        updates: @escaping @Sendable (TranscriptUpdate) -> Void = { _ in }
    ) async throws -> Transcript {
        var options = options.shifted(by: -options.offset)
        let reader = RecordingReader(
            offset: options.offset, duration: options.duration, hearsSpeech: options.guards,
            speech: options.voiceActivity.map {
                SpeechSelection($0, clips: options.clipTimestamps, isForBatches: options.windowsAtOnce > 1)
            })
        if options.windowsAtOnce > 1 {
            return try await batches(of: source, reader, options: options, updates: updates)
        }
        let samples = SampleStore()
        let spectrogram = LogMelSpectrogram(bands: model.dimensions.nMels)
        let mayWorkAhead = model.backend.threads > 1
        // The loudest moment of what is left of a recording is another one's.
        let scan = mayWorkAhead && reader.speech == nil ? LoudnessScan(spectrogram, of: samples) : nil
        let found = try await reader.read(source, into: samples, scan: scan)
        let recording = RecordingSpectrogram(spectrogram, samples: samples, found: found, ahead: mayWorkAhead)
        found.tell(updates)
        if let speech = found.speech { options.clipTimestamps = speech.clips }
        let buffers = try takeBuffers(for: options)
        defer { scratch = buffers }
        let decoder = NetworkDecoder(
            model, tokenizer: tokenizer, network: buffers, options: options, sound: { try recording.logMel($0) })
        let guards = options.guards ? Guards(speech: found.voiced, options: options) : nil
        let language =
            try language(of: options, found) ?? detect(with: decoder, of: recording, options, updates: updates)
        var loop = SeekLoop(
            options: options, contentFrames: recording.contentFrames,
            tokenizer: tokenizer, language: language, decoder: decoder, guards: guards)
        var times = OriginalTimes(
            offset: options.offset, kept: found.speech?.kept, duration: found.duration)
        let volatile = VolatileText(tokenizer: tokenizer, times: times, updates: updates)
        decoder.onStep = { window, tokens in volatile.show(tokens, of: window) }
        let whole = options.offset + found.duration
        var segments: [TranscriptSegment] = []
        while let window = try loop.next() {
            volatile.clear()
            for event in loop.events { updates(.event(times.restored(event))) }
            for segment in window {
                let segment = times.restored(segment)
                segments.append(segment)
                volatile.nextId = segment.id + 1
                if !segment.text.isEmpty { updates(.final(segment)) }
            }
            let position = min(times.restored(Double(loop.position) / 100), whole)
            updates(.progress(TranscriptionProgress(position: position, duration: whole)))
            // All full windows of such a recording are the same: hours of nothing cost one.
            if recording.isLongSilence, window.allSatisfy({ $0.text.isEmpty }) { break }
            try Task.checkCancellation()
            await Task.yield()
        }
        if let failure = found.failure { throw failure }
        return Transcript(text: loop.text, language: language, duration: found.duration, segments: segments)
    }

    /// The same as a stream, which ends with the recording; breaking off the iteration cancels the recognition.
    public nonisolated func updates(
        for source: some AudioSource, options: TranscriptionOptions = TranscriptionOptions()
    ) -> AsyncThrowingStream<TranscriptUpdate, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    _ = try await transcribe(source, options: options) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// What the options and the model leave no doubt about.
    nonisolated func language(of options: TranscriptionOptions, _ found: RecordingReader.Found?) -> String? {
        guard model.dimensions.isMultilingual else { return "en" }
        // Without any speech there is nothing to detect it by.
        return options.decoding.language ?? (found?.speech?.kept.count == 0 ? "en" : nil)
    }

    /// Asks the first window, with guards the first ones that hold speech until one is sure.
    nonisolated func detect(
        with decoder: NetworkDecoder, of recording: RecordingSpectrogram, _ options: TranscriptionOptions,
        updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        let starts =
            options.guards
            ? recording.found.voiced.windowStarts(ofFrames: WindowSpan.fullFrames, limit: Guards.languageWindows) : []
        var best: DetectedLanguage?
        for start in starts.isEmpty ? [0] : starts {
            if start > 0 {
                updates(.event(.guarded(.languageAsked(at: options.offset + Double(start) / 100))))
            }
            let found = try decoder.detectLanguage(from: start)
            if best.map({ $0.probability < found.probability }) ?? true { best = found }
            if found.probability >= Guards.languageProbability { break }
        }
        guard let best else { return "en" }
        updates(.language(best))
        return best.code
    }

    /// Buffers large enough for the searches asked for: those of the last recording where they are, and where no other
    /// recording is using them at the same time.
    private func takeBuffers(for options: TranscriptionOptions) throws -> SoloNetwork {
        let rows = options.decodingRoom.rowsPerWindow
        let last = scratch
        scratch = nil
        if let last, last.decoder.maxRows >= rows { return last }
        return SoloNetwork(
            encoder: try last?.encoder ?? AudioEncoder(model), decoder: try TextDecoder(model, maxRows: rows))
    }
}

extension RecordingReader.Found {
    /// Tells what was left out.
    func tell(_ updates: (TranscriptUpdate) -> Void) {
        if isSilence { updates(.event(.silence)) }
        if let speech {
            let kept = Double(speech.kept.count) / Double(AudioChunk.sampleRate)
            updates(.event(.removedSilence(kept: kept, of: duration)))
        }
    }
}

extension TranscriptionOptions {
    /// Clips counted from `seconds` later.
    fileprivate func shifted(by seconds: Double) -> TranscriptionOptions {
        guard seconds != 0 else { return self }
        var options = self
        options.clipTimestamps = clipTimestamps.map { max(0, $0 + seconds) }
        return options
    }
}
