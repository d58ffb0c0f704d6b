public import EngineAudio
public import EngineBasics
public import EngineCompute
public import EngineTranscripts
import EngineVoices
package import EngineWeights
public import EngineWhisper

/// Transcribes recordings with one model, one recording after another.
///
///     let recognizer = try await Recognizer(model: "ggml-small.bin")
///     let transcript = try await recognizer.transcribe(AudioFile.open("talk.wav"))
///     print(transcript.text)
public actor Recognizer {
    package nonisolated let model: WhisperModel
    package nonisolated var tokenizer: Tokenizer { model.tokenizer }
    /// The network's buffers from the last recording; `nil` while another one uses them.
    var idleBuffers: NetworkBuffers?
    private nonisolated let executor: ComputeExecutor
    nonisolated let cache: EncodingCache?

    /// A dedicated thread: a transcription would block one of the shared pool.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Loads a model: a ggml file (whisper.cpp), an OpenAI checkpoint (`.pt`), or a CTranslate2 (faster-whisper) or
    /// Hugging Face folder.
    ///
    /// - Throws: `ModelError` if the file cannot be read, is not a supported model or needs more memory than is
    ///   available; `ComputeError` if a library is missing or an allocation fails.
    public init(model path: FilePath, options: ComputeOptions = ComputeOptions()) async throws {
        let executor = ComputeExecutor()
        model = try await executor.result { try WhisperModel.load(ModelFile.open(path), options: options) }
        self.executor = executor
        cache = nil
    }

    /// Loads a model from a path given as a string.
    ///
    /// - Throws: the same errors as `init(model: FilePath, options:)`.
    public init(model path: String, options: ComputeOptions = ComputeOptions()) async throws {
        try await self.init(model: FilePath(path), options: options)
    }

    /// - Parameter cache: holds the encoded windows, for transcribing the same recordings with several option sets.
    package init(_ file: any WeightFile, backend: any ComputeBackend, cache: EncodingCache? = nil) throws {
        model = try WhisperModel(file, backend: backend)
        executor = ComputeExecutor()
        self.cache = cache
    }

    /// A recognizer with the same weights and its own buffers, for another recording at the same time.
    package init(sharing other: Recognizer) {
        model = other.model
        executor = ComputeExecutor()
        cache = nil
    }

    /// Transcribes a recording.
    ///
    /// - Parameters:
    ///   - source: mono audio at 16 kHz, such as an `AudioFile`.
    ///   - options: how to transcribe; the defaults are openai-whisper's.
    ///   - updates: receives volatile text while a window is decoded, each segment when it is final, and the position
    ///     reached. Called on the recognizer's thread. Segments without text are omitted.
    /// - Returns: the transcript with all its segments.
    /// - Throws: errors of `source` (if reading fails midway, the audio read so far is transcribed first);
    ///   `DecodingError` for invalid options, or for a model whose scores are not numbers; `Language.LookupError` for
    ///   an unknown language; `CancellationError` within one token of the task being cancelled.
    public func transcribe(
        _ source: some AudioSource, options: TranscriptionOptions = TranscriptionOptions(),
        updates: @escaping @Sendable (TranscriptUpdate) -> Void = { _ in }
    ) async throws -> Transcript {
        let options = options.prepared
        let reader = RecordingReader(options)
        if options.windowsAtOnce > 1 {
            return try await transcribeBatches(source, reader, options: options, updates: updates)
        }
        let recording = try await read(source, reader)
        let speakers = try findSpeakers(
            in: recording.samples, recording.summary, options: options, updates: updates)
        let updates = speakers?.updates(updates) ?? updates
        let buffers = try takeBuffers(for: options)
        defer { idleBuffers = buffers }
        var transcription = try start(recording, options: options, buffers: buffers, updates: updates)
        while try transcription.next() {
            try Task.checkCancellation()
            await Task.yield()
        }
        if let failure = recording.summary.failure { throw failure }
        return speakers?.transcript(transcription.transcript) ?? transcription.transcript
    }

    /// Reports what is known of a recording, detects its language if necessary, and prepares its first window.
    ///
    /// - Parameter options: clips count from the offset.
    func start(
        _ recording: RecordingSpectrogram, options: TranscriptionOptions, buffers: NetworkBuffers,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) throws -> RecordingTranscription {
        let summary = recording.summary
        summary.report(to: updates)
        var options = options
        if let speech = summary.speech { options.clipTimestamps = speech.clips }
        let reporter = UpdateReporter(
            tokenizer: tokenizer,
            times: OriginalTimes(offset: options.offset, kept: summary.speech?.kept, duration: summary.duration),
            updates: updates)
        let decoder = NetworkDecoder(
            model, tokenizer: tokenizer, encoder: buffers.encoder, network: buffers.decoder, spectrogram: recording,
            options: options, onStep: { window, tokens in reporter.showVolatile(tokens, of: window) })
        let language =
            if let known = knownLanguage(options, summary) { known } else {
                try detectLanguage(with: decoder, voiced: summary.voiced, options, updates: updates)
            }
        return RecordingTranscription(
            recording, decoder: decoder, reporter: reporter, tokenizer: tokenizer, language: language, options: options)
    }

    /// Transcribes a recording as a stream of updates, which ends with the recording. Ending the iteration early cancels
    /// the transcription.
    ///
    /// The stream throws the same errors as `transcribe`.
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

    /// Reads a recording, searching for its loudest frame at the same time if a second thread is available.
    func read(_ source: some AudioSource, _ reader: RecordingReader) async throws -> RecordingSpectrogram {
        let samples = SampleStore()
        let spectrogram = LogMelSpectrogram(bands: model.dimensions.nMels)
        let worksAhead = model.backend.threads > 1
        // The loudest frame of the whole recording may not be part of the speech that is selected.
        let scan = worksAhead && reader.speech == nil ? LoudnessScan(spectrogram, of: samples) : nil
        let summary = try await reader.read(source, into: samples, scan: scan)
        return RecordingSpectrogram(spectrogram, samples: samples, summary: summary, ahead: worksAhead)
    }

    /// The language if it follows from the options and the model.
    nonisolated func knownLanguage(_ options: TranscriptionOptions, _ summary: RecordingReader.Summary?) -> String? {
        guard model.dimensions.isMultilingual else { return "en" }
        // Without speech there is nothing to detect it from.
        return options.decoding.language ?? (summary?.speech?.kept.count == 0 ? "en" : nil)
    }

    /// Detects the language in the first window; with guards in the first windows that contain speech, until one result
    /// is confident.
    nonisolated func detectLanguage(
        with decoder: NetworkDecoder, voiced: SpeechIntervals, _ options: TranscriptionOptions,
        updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        let starts =
            options.guards ? voiced.windowStarts(ofFrames: WindowSpan.fullFrames, limit: Guards.languageWindows) : []
        var best: DetectedLanguage?
        for start in starts.isEmpty ? [0] : starts {
            if start > 0 {
                let time = options.offset + Double(start) / 100
                updates(.event(TranscriptUpdate.Event(.guarded(.languageDetected(at: time)))))
            }
            let detected = try decoder.detectLanguage(from: start)
            if best.map({ $0.probability < detected.probability }) ?? true { best = detected }
            if detected.probability >= Guards.languageProbability { break }
        }
        guard let best else { return "en" }
        updates(.language(code: best.code, probability: best.probability))
        return best.code
    }

    /// Returns the buffers of the last recording, or new ones if those are in use or have too few rows for the search.
    func takeBuffers(for options: TranscriptionOptions) throws -> NetworkBuffers {
        let rows = options.decodingCapacity.rowsPerWindow
        let last = idleBuffers
        idleBuffers = nil
        if let last, last.decoder.maxRows >= rows { return last }
        return NetworkBuffers(
            encoder: try last?.encoder ?? AudioEncoder(model, cache: cache),
            decoder: try TextDecoder(model, maxRows: rows))
    }
}

/// The encoder and decoder buffers that one recording after another uses.
package struct NetworkBuffers {
    package let encoder: AudioEncoder
    package let decoder: TextDecoder

    package init(encoder: AudioEncoder, decoder: TextDecoder) {
        self.encoder = encoder
        self.decoder = decoder
    }
}

extension TranscriptionOptions {
    /// The same options with clips that count from `offset`, and with words and ordered times if these are needed.
    var prepared: TranscriptionOptions {
        var options = self
        options.ordersTimes = ordersTimes || guards || speakers != nil
        if offset != 0 { options.clipTimestamps = clipTimestamps.map { max(0, $0 - offset) } }
        if options.ordersTimes { options.clipTimestamps = ClipTimestamps.inOrder(options.clipTimestamps) }
        if speakers != nil { options.timeWords() }
        return options
    }
}
