extension Recognizer {
    /// Recognizes a recording that has been read, several windows at a time.
    ///
    /// - Parameter options: clips count from the start of what was read.
    func batches(
        of recording: Recording, options: TranscriptionOptions, updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) async throws -> Transcript {
        let chunks =
            recording.speech?.chunks
            ?? SpeechSelection.samples(ofClips: options.clipTimestamps, sampleCount: recording.samples.count)
            .map { KeptSound([$0]) }
        let places = min(options.windowsAtOnce, max(1, chunks.count))
        let network = try BatchNetwork(model, places: places, rowsPerWindow: options.decodingRoom.rowsPerWindow)
        let first = NetworkDecoder(
            model, tokenizer: tokenizer, network: network.place(0, order: 0), sound: { try recording.logMel($0) })
        let language =
            try language(of: options, recording) ?? detect(with: first, of: recording, options, updates: updates)
        let whole = options.offset + recording.duration
        var segments: [TranscriptSegment] = []
        var text = ""
        let work = BatchedTranscription(
            network, places: places, tokenizer: tokenizer, recording: recording, chunks: chunks, options: options,
            language: language)
        try work.run { part in
            var times = OriginalTimes(offset: options.offset, kept: part.sound, duration: recording.duration)
            for event in part.events { updates(.event(times.restored(event))) }
            for segment in part.segments {
                var segment = times.restored(segment)
                segment.id = segments.count
                segments.append(segment)
                if !segment.text.isEmpty { updates(.final(segment)) }
            }
            text += part.text
            let end = Double(part.sound.stretches.last?.upperBound ?? 0) / Double(AudioChunk.sampleRate)
            updates(.progress(TranscriptionProgress(position: min(options.offset + end, whole), duration: whole)))
        }
        if let failure = recording.failure { throw failure }
        return Transcript(text: text, language: language, duration: recording.duration, segments: segments)
    }
}
