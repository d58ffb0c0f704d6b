/// Recognizes recordings with one model, one after another.
public actor Recognizer {
    public nonisolated let model: WhisperModel
    public nonisolated let tokenizer: Tokenizer
    private var scratch: DecoderScratch?
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
        let recording = Recording(bands: model.dimensions.nMels)
        try await recording.read(source, offset: options.offset, duration: options.duration)
        let buffers = try takeBuffers(for: options)
        defer { scratch = buffers }
        let decoder = NetworkDecoder(
            model, tokenizer: tokenizer, recording: recording, scratch: buffers, options: options)
        let language = try language(of: options) ?? detect(with: decoder, updates: updates)
        var loop = SeekLoop(
            options: options.shifted(by: -options.offset), contentFrames: recording.contentFrames,
            tokenizer: tokenizer, language: language, decoder: decoder)
        let volatile = VolatileText(tokenizer: tokenizer, offset: options.offset, updates: updates)
        decoder.onStep = { window, tokens in volatile.show(tokens, of: window) }
        let whole = options.offset + recording.duration
        var segments: [TranscriptSegment] = []
        while let found = try loop.next() {
            volatile.clear()
            for event in loop.events { updates(.event(event)) }
            for segment in found.map({ $0.shifted(by: options.offset) }) {
                segments.append(segment)
                volatile.nextId = segment.id + 1
                if !segment.text.isEmpty { updates(.final(segment)) }
            }
            let position = min(options.offset + Double(loop.position) / 100, whole)
            updates(.progress(TranscriptionProgress(position: position, duration: whole)))
            // All full windows of such a recording are the same: hours of nothing cost one.
            if recording.isLongSilence, found.allSatisfy({ $0.text.isEmpty }) { break }
            try Task.checkCancellation()
            await Task.yield()
        }
        if let failure = recording.failure { throw failure }
        return Transcript(text: loop.text, language: language, duration: recording.duration, segments: segments)
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
    private func language(of options: TranscriptionOptions) -> String? {
        model.dimensions.isMultilingual ? options.decoding.language : "en"
    }

    private func detect(
        with decoder: NetworkDecoder, updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        let detected = try decoder.detectLanguage()
        updates(.language(detected))
        return detected.code
    }

    /// Buffers large enough for the searches asked for: those of the last recording where they are, and where no other
    /// recording is using them at the same time.
    private func takeBuffers(for options: TranscriptionOptions) throws -> DecoderScratch {
        let rows = max(options.decoding.beamSize ?? 1, options.decoding.bestOf ?? 1, 1)
        let last = scratch
        scratch = nil
        if let last, last.decoder.maxRows >= rows { return last }
        return DecoderScratch(
            encoder: try last?.encoder ?? AudioEncoder(model), decoder: try TextDecoder(model, maxRows: rows))
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

extension TranscriptSegment {
    /// The same `seconds` later in the recording.
    fileprivate func shifted(by seconds: Double) -> TranscriptSegment {
        guard seconds != 0 else { return self }
        func later(_ time: Double) -> Double { ((time + seconds) * 1000).rounded(.toNearestOrEven) / 1000 }
        var segment = self
        segment.seek += Int((seconds * 100).rounded())
        segment.start = later(start)
        segment.end = later(end)
        segment.words = words?.map {
            TranscriptWord(
                word: $0.word, start: later($0.start), end: later($0.end), probability: $0.probability)
        }
        return segment
    }
}
