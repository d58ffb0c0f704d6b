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
        try await transcribe(
            channels: channels, speakers: speakers, options: options, earlier: [], heard: { _, _ in }, updates: updates)
    }

    /// Goes on with a transcription that was interrupted; what it had is reported again, as it would have been.
    ///
    /// - Parameters:
    ///   - earlier: what it had of each channel; empty if there was none.
    ///   - heard: receives the updates of each channel by itself, as they come, without corrections by a vocabulary.
    package func transcribe(
        channels: [any AudioSource], speakers: [String], options: TranscriptionOptions, earlier: [TranscribedPart],
        heard: @escaping @Sendable (_ channel: Int, TranscriptUpdate) -> Void,
        updates: @escaping @Sendable (TranscriptUpdate) -> Void
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
        let recordings = channels.enumerated().map { index, source in
            var options = options
            let merged = merge.updates(of: index)
            if index < earlier.count {
                options.resumesAt = earlier[index].position
                merge.add(earlier[index], of: index)
            }
            return Channel(source: source, options: options) { update in
                heard(index, update)
                merged(update)
            }
        }
        let (duration, speech) =
            options.windowsAtOnce > 1
            ? try await transcribeInSequence(recordings, merge: merge)
            : try await transcribeInTurns(recordings, merge: merge)
        merge.finish()
        var transcript = merge.transcript(duration: duration)
        transcript.speech = merge.speech(of: speech)
        return corrected?.transcript(transcript) ?? transcript
    }

    private struct Channel {
        let source: any AudioSource
        let options: TranscriptionOptions
        let updates: @Sendable (TranscriptUpdate) -> Void
    }

    /// Decodes a window of the channel that is furthest behind, until all are done.
    ///
    /// - Returns: the length of the longest channel in seconds, and the speech of each.
    private func transcribeInTurns(
        _ channels: [Channel], merge: ChannelMerge
    ) async throws -> (duration: Double, speech: [[TranscriptSpan]?]) {
        var recordings: [RecordedAudio] = []
        for channel in channels {
            let reader = RecordingReader(channel.options, from: channel.source.start, for: model.traits)
            recordings.append(try await read(channel.source, reader))
        }
        guard let options = channels.first?.options else { return (0, []) }
        let workspace = try takeWorkspace(for: options)
        defer { idleWorkspace = workspace }
        var active: [(channel: Int, transcription: RecordingTranscription)] = []
        for (index, (channel, recording)) in zip(channels, recordings).enumerated() {
            // One side of a call may be silent throughout; a model would hallucinate text there.
            if recording.summary.isSilence {
                recording.summary.report(to: channel.updates)
                merge.finish(index)
                continue
            }
            let transcription = try start(
                recording, options: channel.options, workspace: workspace, updates: channel.updates)
            active.append((index, transcription))
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
        _ channels: [Channel], merge: ChannelMerge
    ) async throws -> (duration: Double, speech: [[TranscriptSpan]?]) {
        var (duration, speech) = (0.0, [[TranscriptSpan]?]())
        var failure: AudioFormatError?
        for (index, channel) in channels.enumerated() {
            do {
                let reader = RecordingReader(channel.options, from: channel.source.start, for: model.traits)
                let transcript = try await transcribeBatches(
                    channel.source, reader, options: channel.options, skipsSilence: true, updates: channel.updates)
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
