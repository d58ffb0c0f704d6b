import EngineAudio
import EngineCompute
import EngineTranscripts
import EngineVoices
import EngineWeights
import EngineWhisper

extension Recognizer {
    /// Transcribes a recording several windows at a time, starting while it is still being read.
    ///
    /// - Parameters:
    ///   - options: clips count from the offset.
    ///   - skipsSilence: whether a recording of nothing but digital silence is not transcribed.
    func transcribeBatches(
        _ source: some AudioSource, _ reader: RecordingReader, options: TranscriptionOptions,
        skipsSilence: Bool = false,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws -> Transcript {
        let samples = SampleStore()
        let chunks = ChunkQueue()
        async let reading = Self.readChunks(
            of: source, reader, into: samples, chunks: chunks, clips: options.clipTimestamps, skipsSilence: skipsSilence
        )
        // Turns depend on the whole recording.
        let speakers =
            options.speakers == nil
            ? nil : try findSpeakers(in: samples, try await reading, options: options, updates: updates)
        let updates = speakers?.updates(updates) ?? updates
        let slots = Self.slots(for: source.duration, options)
        let network = try BatchNetwork(
            model, slots: slots, rowsPerWindow: options.decodingCapacity.rowsPerWindow, cache: cache)
        let language: String
        if let known = knownLanguage(options, nil) {
            language = known
        } else if skipsSilence, try await reading.isSilence {
            language = "en"
        } else {
            language = try detectLanguage(
                network, samples: samples, summary: try await reading, options: options, updates: updates)
        }
        // What the file header says, until the end has been read.
        let expected = source.duration.map { min($0 / .seconds(1), options.offset + (options.duration ?? .infinity)) }
        let reporter = UpdateReporter(
            tokenizer: tokenizer, times: OriginalTimes(offset: options.offset, kept: nil, duration: 0),
            updates: updates)
        var text = ""
        let transcription = BatchedTranscription(
            network, slots: slots, tokenizer: tokenizer, chunks: chunks, samples: samples, options: options,
            language: language)
        try transcription.run { chunk in
            // More may still be read, but all of this chunk has been.
            let read = AudioChunk.seconds(of: samples.count)
            reporter.times = OriginalTimes(offset: options.offset, kept: chunk.audio, duration: read)
            reporter.report(chunk.segments, events: chunk.events)
            text += chunk.text
            let end = AudioChunk.seconds(of: chunk.audio.ranges.last?.upperBound ?? 0)
            reporter.report(
                position: options.offset + min(end, read),
                duration: chunks.finalCount == nil ? expected : options.offset + read)
        }
        let summary = try await reading
        summary.report(to: updates)
        if let failure = summary.failure { throw failure }
        let transcript = Transcript(
            text: text, language: language, duration: summary.duration, segments: reporter.segments)
        return speakers?.transcript(transcript) ?? transcript
    }

    /// Detects the language of a recording that has been read to its end.
    private nonisolated func detectLanguage(
        _ network: BatchNetwork, samples: SampleStore, summary: RecordingReader.Summary,
        options: TranscriptionOptions, updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        if let known = knownLanguage(options, summary) { return known }
        let recording = RecordingSpectrogram(
            LogMelSpectrogram(bands: model.dimensions.nMels), samples: samples, summary: summary)
        let decoder = NetworkDecoder(
            model, tokenizer: tokenizer, encoder: network.encoder, network: network.slot(0, order: 0),
            spectrogram: recording, options: options)
        return try detectLanguage(with: decoder, voiced: summary.voiced, options, updates: updates)
    }

    /// Reads all of `source`; `chunks` is closed when this returns or throws.
    private static func readChunks(
        of source: some AudioSource, _ reader: RecordingReader, into samples: SampleStore, chunks: ChunkQueue,
        clips: [Double], skipsSilence: Bool
    ) async throws -> RecordingReader.Summary {
        do {
            let summary = try await reader.read(source, into: samples) { chunks.append(Chunk(speech: $0)) }
            if reader.speech == nil, !(skipsSilence && summary.isSilence) {
                for clip in SpeechSelection.samples(ofClips: clips, sampleCount: summary.count) {
                    chunks.append(Chunk(clip: clip, speech: summary.voiced))
                }
            }
            chunks.close()
            return summary
        } catch {
            chunks.close(dropsRest: true)
            throw error
        }
    }

    /// Number of windows to decode in parallel, at most the number of chunks that a recording can have.
    private static func slots(for duration: Duration?, _ options: TranscriptionOptions) -> Int {
        guard let duration, options.clipTimestamps.isEmpty else { return options.windowsAtOnce }
        let windows = duration / .seconds(30)
        if options.voiceActivity == nil || windows <= 1 { return 1 }
        // At least one of two consecutive chunks is longer than half a window.
        return min(options.windowsAtOnce, Int(min(2 * windows, 1e6)) + 1)
    }
}
