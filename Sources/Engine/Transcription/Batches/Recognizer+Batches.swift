extension Recognizer {
    /// Recognizes a recording several windows at a time, the first while the last are still being read.
    ///
    /// - Parameter options: clips count from the start of what is read.
    func batches(
        of source: some AudioSource, _ reader: RecordingReader, options: TranscriptionOptions,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws -> Transcript {
        let samples = SampleStore()
        let parts = PartQueue()
        async let reading = Self.read(source, reader, into: samples, parts: parts, clips: options.clipTimestamps)
        let places = Self.places(for: source.duration, options)
        let network = try BatchNetwork(model, places: places, rowsPerWindow: options.decodingRoom.rowsPerWindow)
        let language: String
        if let given = self.language(of: options, nil) {
            language = given
        } else {
            language = try heardLanguage(
                network, samples: samples, found: try await reading, options: options, updates: updates)
        }
        // While the end is not known, what the file says of it.
        let expected = source.duration.map { min($0 / .seconds(1), options.offset + (options.duration ?? .infinity)) }
        var segments: [TranscriptSegment] = []
        var text = ""
        let work = BatchedTranscription(
            network, places: places, tokenizer: tokenizer, parts: parts, samples: samples, options: options,
            language: language)
        try work.run { part in
            // Where the recording goes on it is long enough for this part's times.
            let heard = Double(samples.count) / Double(AudioChunk.sampleRate)
            var times = OriginalTimes(offset: options.offset, kept: part.sound, duration: heard)
            for event in part.events { updates(.event(times.restored(event))) }
            for segment in part.segments {
                var segment = times.restored(segment)
                segment.id = segments.count
                segments.append(segment)
                if !segment.text.isEmpty { updates(.final(segment)) }
            }
            text += part.text
            let end = Double(part.sound.ranges.last?.upperBound ?? 0) / Double(AudioChunk.sampleRate)
            updates(
                .progress(
                    TranscriptionProgress(
                        position: options.offset + min(end, heard),
                        duration: parts.finalCount == nil ? expected : options.offset + heard)))
        }
        let found = try await reading
        found.tell(updates)
        if let failure = found.failure { throw failure }
        return Transcript(text: text, language: language, duration: found.duration, segments: segments)
    }

    /// The language of a recording that was read to its end, by its first windows.
    private nonisolated func heardLanguage(
        _ network: BatchNetwork, samples: SampleStore, found: RecordingReader.Found, options: TranscriptionOptions,
        updates: (TranscriptUpdate) -> Void
    ) throws -> String {
        if let certain = language(of: options, found) { return certain }
        let recording = RecordingSpectrogram(
            LogMelSpectrogram(bands: model.dimensions.nMels), samples: samples, found: found)
        let decoder = NetworkDecoder(
            model, tokenizer: tokenizer, network: network.place(0, order: 0), sound: { try recording.logMel($0) })
        return try detect(with: decoder, of: recording, options, updates: updates)
    }

    /// Reads all of `source`; `parts` are closed when this returns or throws.
    private static func read(
        _ source: some AudioSource, _ reader: RecordingReader, into samples: SampleStore, parts: PartQueue,
        clips: [Double]
    ) async throws -> RecordingReader.Found {
        do {
            let found = try await reader.read(source, into: samples, onPart: parts.append)
            if reader.speech == nil {
                for clip in SpeechSelection.samples(ofClips: clips, sampleCount: found.count) {
                    parts.append(KeptAudio([clip]))
                }
            }
            parts.close()
            return found
        } catch {
            parts.close(dropsRest: true)
            throw error
        }
    }

    /// Windows side by side: not more than a recording can have parts.
    private static func places(for duration: Duration?, _ options: TranscriptionOptions) -> Int {
        guard let duration, options.clipTimestamps.isEmpty else { return options.windowsAtOnce }
        let windows = duration / .seconds(30)
        if options.voiceActivity == nil || windows <= 1 { return 1 }
        // Of two parts one behind the other at least one is longer than half a window.
        return min(options.windowsAtOnce, Int(min(2 * windows, 1e6)) + 1)
    }
}
