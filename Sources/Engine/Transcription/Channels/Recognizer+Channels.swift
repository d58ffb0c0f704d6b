public import EngineAudio
public import EngineModels
public import EngineTranscripts
import EngineVoices

extension Recognizer {
    /// Transcribes each channel of a recording separately, such as the two sides of a call, and merges the segments in
    /// order of their start.
    ///
    ///     let channels = try AudioFile.openChannels("call.wav")
    ///     let transcript = try await recognizer.transcribe(channels: channels, speakers: ["Anna", "Ben"])
    ///
    /// The channels take turns window by window, so that final segments are reported in order while the transcription
    /// continues; several windows at once (`TranscriptionOptions.batchSize`) decode one channel after the other instead.
    /// The options apply to every channel; the language is detected for each unless it is given. A channel of digital
    /// silence has no segments, and segments without text are omitted.
    ///
    /// - Parameters:
    ///   - channels: each mono at 16 kHz, such as those of `AudioFile.openChannels`.
    ///   - speakers: the names of the channels, in the same order; a channel without one is `speaker 1`, `speaker 2` …
    ///   - options: how to transcribe.
    ///   - updates: as for a single source; segments, events and detected languages have their speaker. The position is
    ///     the mean of those of the channels.
    /// - Returns: the merged transcript; its segments have their speaker and language.
    /// - Throws: the same errors as for a single source. Final segments that were held back are reported first.
    public func transcribe(
        channels: [any AudioSource], speakers: [String] = [],
        options: TranscriptionOptions = TranscriptionOptions(),
        updates: @escaping @Sendable (TranscriptUpdate) -> Void = { _ in }
    ) async throws -> Transcript {
        try model.traits.check(options)
        var options = options
        options.ordersTimes = true
        options = try prepared(options, from: channels.first?.start ?? .zero)
        let corrected = CorrectedUpdates(options, for: model)
        let updates = corrected?.updates(updates) ?? updates
        let merge = ChannelMerge(
            speakers: channels.indices.map { $0 < speakers.count ? speakers[$0] : SpeakerNaming.numbered($0 + 1) },
            language: model.traits.language(for: options), updates: updates)
        defer { merge.finish() }
        let (duration, speech) =
            options.windowsAtOnce > 1
            ? try await transcribeInSequence(channels, options: options, merge: merge)
            : try await transcribeInTurns(channels, options: options, merge: merge)
        merge.finish()
        var transcript = merge.transcript(duration: duration)
        transcript.speech = merge.speech(of: speech)
        return corrected?.transcript(transcript) ?? transcript
    }

    /// Decodes a window of the channel that is furthest behind, until all are done.
    ///
    /// - Returns: the length of the longest channel in seconds, and the speech of each.
    private func transcribeInTurns(
        _ channels: [any AudioSource], options: TranscriptionOptions, merge: ChannelMerge
    ) async throws -> (duration: Double, speech: [[TranscriptSpan]?]) {
        var recordings: [RecordedAudio] = []
        for channel in channels {
            recordings.append(try await read(channel, RecordingReader(options, from: channel.start, for: model.traits)))
        }
        let workspace = try takeWorkspace(for: options)
        defer { idleWorkspace = workspace }
        var active: [(channel: Int, transcription: RecordingTranscription)] = []
        for (index, recording) in recordings.enumerated() {
            // One side of a call may be silent throughout; a model would hallucinate text there.
            if recording.summary.isSilence {
                recording.summary.report(to: merge.updates(of: index))
                merge.finish(index)
                continue
            }
            let updates = merge.updates(of: index)
            active.append((index, try start(recording, options: options, workspace: workspace, updates: updates)))
        }
        while let next = active.indices.min(by: {
            active[$0].transcription.position < active[$1].transcription.position
        }) {
            if try !active[next].transcription.next() { merge.finish(active.remove(at: next).channel) }
            try Task.checkCancellation()
            await Task.yield()
        }
        if let failure = recordings.lazy.compactMap(\.summary.failure).first { throw failure }
        return (recordings.map(\.summary.duration).max() ?? 0, recordings.map { $0.summary.speech(in: options) })
    }

    /// Transcribes one channel after the other, several windows at a time.
    ///
    /// - Returns: the length of the longest channel in seconds, and the speech of each.
    private func transcribeInSequence(
        _ channels: [any AudioSource], options: TranscriptionOptions, merge: ChannelMerge
    ) async throws -> (duration: Double, speech: [[TranscriptSpan]?]) {
        var (duration, speech) = (0.0, [[TranscriptSpan]?]())
        var failure: AudioFormatError?
        for (index, channel) in channels.enumerated() {
            do {
                let transcript = try await transcribeBatches(
                    channel, RecordingReader(options, from: channel.start, for: model.traits), options: options,
                    skipsSilence: true,
                    updates: merge.updates(of: index))
                duration = max(duration, transcript.duration)
                speech.append(transcript.speech)
            } catch let error as AudioFormatError where error.isReadError {
                // What could be read has been transcribed; transcribe the other channels as far, then throw.
                failure = failure ?? error
            }
            merge.finish(index)
        }
        if let failure { throw failure }
        return (duration, speech)
    }
}
