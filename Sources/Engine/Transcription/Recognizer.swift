public import EngineAudio
public import EngineBasics
public import EngineCompute
import EngineInstalled
public import EngineModels
public import EngineTranscripts
import EngineVoices
import Synchronization

/// Transcribes recordings with one model, one recording after another.
///
///     let recognizer = try await Recognizer(model: "ggml-small.bin")
///     let transcript = try await recognizer.transcribe(AudioFile.open("talk.wav"))
///     print(transcript.text)
public actor Recognizer {
    package nonisolated let model: any SpeechModel
    /// The model's memory from the last recording; `nil` while another one uses it.
    var idleWorkspace: (any DecodingWorkspace)?
    private nonisolated let executor: ComputeExecutor
    /// The speech detector for options that leave the choice open.
    private var installedDetector: VoiceActivityOptions.Detector?

    /// A dedicated thread: a transcription would block one of the shared pool.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Loads a model by its path: a ggml file (whisper.cpp), an OpenAI checkpoint (`.pt`), or a CTranslate2 (faster-whisper) or
    /// Hugging Face folder.
    ///
    /// - Throws: `ModelError` if the file cannot be read, is not a supported model or needs more memory than is
    ///   available; `ComputeError` if a library is missing or an allocation fails.
    public init(model path: FilePath, options: ComputeOptions = ComputeOptions()) async throws {
        let executor = ComputeExecutor(isRecognition: true)
        model = try await executor.result { try ModelFamilies.open(path).load(options) }
        self.executor = executor
    }

    /// Loads a model by its path, or by its name as the program does: `tiny.en` is looked for among this program's models and
    /// in the caches of openai-whisper and Hugging Face.
    ///
    /// - Throws: `ModelSearchError` if there is none; the errors of `init(model: FilePath, options:)`.
    public init(model name: String, options: ComputeOptions = ComputeOptions()) async throws {
        try await self.init(model: ModelSearch.standard.find(Array(name.utf8)).path, options: options)
    }

    package init(_ model: any SpeechModel) {
        self.model = model
        executor = ComputeExecutor(isRecognition: true)
    }

    /// A recognizer with the same weights and its own memory, for another recording at the same time.
    package init(sharing other: Recognizer) { self.init(other.model) }

    /// Transcribes a recording.
    ///
    /// - Parameters:
    ///   - source: mono audio at 16 kHz, such as an `AudioFile`.
    ///   - options: how to transcribe.
    ///   - updates: receives volatile text while a window is decoded, each segment when it is final, and the position
    ///     reached. Called on the recognizer's thread. Segments without text are omitted.
    /// - Returns: the transcript with all its segments.
    /// - Throws: errors of `source` (if reading fails midway, the audio read so far is transcribed first);
    ///   `UnusedOptionsError` and `DecodingError` for invalid options, the latter also for a model whose scores are not numbers; `Language.LookupError` for
    ///   an unknown language; `CancellationError` within one token of the task being cancelled.
    public func transcribe(
        _ source: some AudioSource, options: TranscriptionOptions = TranscriptionOptions(),
        updates: @escaping @Sendable (TranscriptUpdate) -> Void = { _ in }
    ) async throws -> Transcript {
        try await transcribe(source, options: options, onStart: { _ in }, updates: updates)
    }

    /// Transcribes a recording.
    ///
    /// - Parameter onStart: called once before the first window is decoded, on the recognizer's thread.
    package func transcribe(
        _ source: some AudioSource, options: TranscriptionOptions,
        onStart: @escaping @Sendable (RecordingStart) -> Void,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws -> Transcript {
        try model.traits.check(options)
        let options = try prepared(options, from: source.start)
        guard let corrected = CorrectedUpdates(options, for: model) else {
            return try await recognize(source, options: options, onStart: onStart, updates: updates)
        }
        return corrected.transcript(
            try await recognize(source, options: options, onStart: onStart, updates: corrected.updates(updates)))
    }

    /// Detects the language of a recording as `transcribe` does, without transcribing it.
    package func start(of source: some AudioSource, options: TranscriptionOptions) async throws -> RecordingStart {
        try await startAndSummary(of: source, options: options).start
    }

    /// The same, and what was heard while the recording was read.
    func startAndSummary(
        of source: some AudioSource, options: TranscriptionOptions
    ) async throws -> (start: RecordingStart, summary: RecordingSummary) {
        try model.traits.check(options)
        let options = try prepared(options, from: source.start)
        let recording = try await read(source, RecordingReader(options, from: source.start, for: model.traits))
        if let failure = recording.summary.failure { throw failure }
        let workspace = try takeWorkspace(for: options)
        defer { idleWorkspace = workspace }
        let found = Mutex(RecordingStart(recording.summary))
        _ = try start(
            recording, options: options, workspace: workspace, onStart: { start in found.withLock { $0 = start } },
            updates: { _ in })
        return (found.withLock(\.self), recording.summary)
    }

    /// Transcribes a recording without corrections by a vocabulary.
    private func recognize(
        _ source: some AudioSource, options: TranscriptionOptions,
        onStart: @escaping @Sendable (RecordingStart) -> Void,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws -> Transcript {
        if options.windowsAtOnce > 1 {
            let reader = RecordingReader(options, from: source.start, for: model.traits)
            return try await transcribeBatches(source, reader, options: options, onStart: onStart, updates: updates)
        }
        return try await transcribe(source, options: options, onStart: onStart, updates: updates) { transcript, _, _ in
            transcript
        }
    }

    /// Transcribes a recording window by window, and does something with it and the memory before they are released.
    ///
    /// - Parameter options: prepared.
    package func transcribe<Result: Sendable>(
        _ source: some AudioSource, options: TranscriptionOptions,
        onStart: @escaping @Sendable (RecordingStart) -> Void = { _ in },
        updates: @escaping @Sendable (TranscriptUpdate) -> Void,
        then finish: (Transcript, RecordedAudio, any DecodingWorkspace) throws -> Result
    ) async throws -> Result {
        let reader = RecordingReader(options, from: source.start, for: model.traits)
        let recording = try await read(source, reader)
        let speakers = try findSpeakers(
            in: recording.samples, recording.summary, options: options, updates: updates)
        let updates = speakers?.updates(updates) ?? updates
        let workspace = try takeWorkspace(for: options)
        defer { idleWorkspace = workspace }
        var transcription = try start(
            recording, options: options, workspace: workspace, onStart: onStart, updates: updates)
        while try transcription.next() {
            try Task.checkCancellation()
            await Task.yield()
        }
        if let failure = recording.summary.failure { throw failure }
        let transcript = speakers?.transcript(transcription.transcript) ?? transcription.transcript
        return try finish(transcript, recording, workspace)
    }

    /// Reports what is known of a recording, detects its language if necessary, and prepares its first window.
    ///
    /// - Parameter options: clips count from the offset.
    func start(
        _ recording: RecordedAudio, options: TranscriptionOptions, workspace: any DecodingWorkspace,
        onStart: (RecordingStart) -> Void = { _ in }, updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) throws -> RecordingTranscription {
        var (recording, decoding) = (recording, options)
        if let time = options.resumesAt { recording.skip(to: time - options.offset, &decoding) }
        let summary = recording.summary
        summary.report(to: updates)
        let reporter = UpdateReporter(
            spelling: model.spelling,
            times: OriginalTimes(offset: options.offset, kept: summary.speech?.kept, duration: summary.duration),
            updates: updates)
        var start = RecordingStart(summary)
        let decoder = try workspace.decoder(
            for: recording, options: decoding, onTokens: { reporter.showVolatile($0) },
            updates: { update in
                start.note(update)
                updates(update)
            })
        (start.language, start.languageProbabilities) = (decoder.language, decoder.languageProbabilities)
        onStart(start)
        reporter.language = decoder.language
        return RecordingTranscription(summary, decoder: decoder, reporter: reporter, options: options)
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

    /// Reads a recording, which the model examines at the same time.
    func read(_ source: some AudioSource, _ reader: RecordingReader) async throws -> RecordedAudio {
        let samples = SampleStore()
        // The speech that is selected is unknown until the end.
        let scan = reader.speech == nil ? model.scan(of: samples) : nil
        let summary = try await reader.read(source, into: samples, scan: scan)
        return RecordedAudio(samples, summary, scan: scan)
    }

    /// The same options with a speech detector for the guards, without `multilingual` if the language is known, with an
    /// offset that is not before the audio, clips that count from it, and with words and ordered times if these are needed.
    ///
    /// - Parameter start: when the audio begins on the clock of the options.
    package func prepared(_ options: TranscriptionOptions, from start: Duration) throws -> TranscriptionOptions {
        try model.traits.check(languages: options.languages)
        var options = options
        if !model.traits.isMultilingual || options.language != nil { options.multilingual = false }
        if options.guards != false, options.guardDetector == nil {
            let detector = try options.voiceActivity?.detector ?? installedDetector ?? .installed()
            if options.voiceActivity == nil { installedDetector = detector }
            options.guardDetector = detector
        }
        options.ordersTimes = options.ordersTimes || options.isGuarded || options.speakers != nil
        if !model.traits.usesDetectedSpeech { options.guards = false }
        options.moveOffset(to: start / .seconds(1))
        if options.offset != 0 { options.clipTimestamps = options.clipTimestamps.map { max(0, $0 - options.offset) } }
        if options.ordersTimes { options.clipTimestamps = ClipTimestamps.inOrder(options.clipTimestamps) }
        if options.speakers != nil { options.timeWords() }
        return options
    }

    /// Returns the memory of the last recording if it is idle and suits the options, or else new memory.
    func takeWorkspace(for options: TranscriptionOptions) throws -> any DecodingWorkspace {
        let last = idleWorkspace
        idleWorkspace = nil
        return try model.workspace(for: options, reusing: last)
    }
}

extension TranscriptionOptions {
    /// Moves an offset to `seconds` if it is before; the end stays.
    fileprivate mutating func moveOffset(to seconds: Double) {
        guard offset < seconds else { return }
        if let length = duration { duration = max(0, offset + length - seconds) }
        offset = seconds
    }
}

extension RecordedAudio {
    /// Leaves out what comes before a time, in seconds after the offset.
    fileprivate mutating func skip(to time: Double, _ options: inout TranscriptionOptions) {
        options.clipTimestamps = ClipTimestamps.rest(of: options.clipTimestamps, from: max(0, time))
        guard let speech = summary.speech else { return }
        var summary = summary
        let clips = ClipTimestamps.rest(of: speech.clips, from: speech.kept.time(ofOriginal: max(0, time)))
        summary.speech = SelectedSpeech(kept: speech.kept, clips: clips)
        self = RecordedAudio(samples, summary, scan: scan)
    }
}
