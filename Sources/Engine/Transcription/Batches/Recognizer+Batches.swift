import EngineAudio
import EngineModels
import EngineTranscripts
import EngineVoices

extension Recognizer {
    /// Transcribes a recording several windows at a time, starting while it is still being read.
    ///
    /// - Parameters:
    ///   - options: clips count from the offset.
    ///   - skipsSilence: whether a recording of nothing but digital silence is not transcribed.
    func transcribeBatches(
        _ source: some AudioSource, _ reader: RecordingReader, options: TranscriptionOptions,
        skipsSilence: Bool = false, onStart: (RecordingStart) -> Void = { _ in },
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws -> Transcript {
        let samples = SampleStore()
        let chunks = ChunkQueue()
        async let reading = Self.readChunks(
            of: source, reader, into: samples, chunks: chunks, options, skipsSilence: skipsSilence)
        // Turns depend on the whole recording.
        let speakers =
            options.speakers == nil
            ? nil : try findSpeakers(in: samples, try await reading, options: options, updates: updates)
        let updates = speakers?.updates(updates) ?? updates
        let slots = slots(for: source.duration, options)
        let decoder = try model.batch(slots: slots, options: options)
        var start = RecordingStart(duration: nil)
        let language: String
        if let known = model.traits.language(for: options) {
            language = known
        } else if skipsSilence, try await reading.isSilence {
            language = model.traits.silentLanguage
        } else {
            let recording = RecordedAudio(samples, try await reading)
            start = RecordingStart(recording.summary)
            language =
                try model.traits.language(for: options, hearing: recording.summary)
                ?? decoder.detectLanguage(of: recording, options: options) { update in
                    start.note(update)
                    updates(update)
                }
        }
        // What the file header says, until the end has been read.
        let expected = source.duration.map {
            min(($0 + source.start) / .seconds(1), options.offset + (options.duration ?? .infinity))
        }
        start.duration = start.duration ?? expected.map { max(0, $0 - options.offset) }
        (start.language, start.languageProbabilities) = (language, decoder.languageProbabilities)
        onStart(start)
        let reporter = UpdateReporter(
            spelling: model.spelling, times: OriginalTimes(offset: options.offset, kept: nil, duration: 0),
            updates: updates)
        reporter.language = language
        var text = ""
        let transcription = BatchedTranscription(
            decoder, slots: slots, chunks: chunks, samples: samples, options: options, language: language)
        try transcription.run { chunk, result in
            let audio = chunk.audio
            // More may still be read, but all of this chunk has been.
            let read = AudioChunk.seconds(of: samples.count)
            reporter.times = OriginalTimes(offset: options.offset, kept: audio, duration: read)
            if let stretches = chunk.stretches {
                let speech = options.spans(of: stretches)
                if options.ordersTimes { reporter.speech = SpeechSnapping(speech) }
                reporter.report(speech: speech)
            }
            reporter.report(result.window, in: options.place(of: audio))
            text += result.text
            let end = AudioChunk.seconds(of: audio.ranges.last?.upperBound ?? 0)
            reporter.report(
                position: options.offset + min(end, read),
                duration: chunks.finalCount == nil ? expected : options.offset + read)
        }
        let summary = try await reading
        summary.report(to: updates)
        if let failure = summary.failure { throw failure }
        var transcript = Transcript(
            text: text, language: reporter.mainLanguage ?? language, duration: summary.duration,
            segments: reporter.segments)
        transcript.speech = summary.speech(in: options)
        return speakers?.transcript(transcript) ?? transcript
    }

    /// Reads all of `source`; `chunks` is closed when this returns or throws.
    private static func readChunks(
        of source: some AudioSource, _ reader: RecordingReader, into samples: SampleStore, chunks: ChunkQueue,
        _ options: TranscriptionOptions, skipsSilence: Bool
    ) async throws -> RecordingSummary {
        func add(_ chunk: RecordingChunk) {
            // To a millisecond: an earlier run ended with a chunk.
            if let time = options.resumesAt, options.place(of: chunk.audio).upperBound < time + 0.001 { return }
            chunks.append(chunk)
        }
        do {
            let summary = try await reader.read(source, into: samples) {
                add(RecordingChunk(speech: $0, stretches: $1))
            }
            if reader.speech == nil, !(skipsSilence && summary.isSilence) {
                for clip in SpeechSelection.samples(ofClips: options.clipTimestamps, sampleCount: summary.count) {
                    add(RecordingChunk(clip: clip, speech: summary.voiced, stretches: summary.stretches))
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
    private nonisolated func slots(for duration: Duration?, _ options: TranscriptionOptions) -> Int {
        guard let duration, options.clipTimestamps.isEmpty else { return options.windowsAtOnce }
        let windows = duration / .seconds(model.traits.longestWindow)
        if options.voiceActivity == nil || windows <= 1 { return 1 }
        // At least one of two consecutive chunks is longer than half a window.
        return min(options.windowsAtOnce, Int(min(2 * windows, 1e6)) + 1)
    }
}

extension TranscriptionOptions {
    /// Where a chunk is, in seconds of the recording.
    fileprivate func place(of audio: KeptAudio) -> ClosedRange<Double> {
        let hull = (audio.ranges.first?.lowerBound ?? 0)..<(audio.ranges.last?.upperBound ?? 0)
        let span = span(of: hull)
        return span.start...span.end
    }
}
