import EngineAudio
import EngineCompute
import EngineModels
import EngineTranscripts
import EngineVoices

extension Recognizer {
    /// Finds who speaks when in a recording that has been read; `nil` if that was not requested.
    ///
    /// - Parameter updates: receives the progress.
    /// - Throws: `CancellationError`, `ComputeError.outOfMemory`, and errors of reading the samples.
    nonisolated func findSpeakers(
        in samples: SampleStore, _ summary: RecordingSummary, options: TranscriptionOptions,
        updates: (TranscriptUpdate) -> Void
    ) throws -> SpeakerUpdates? {
        guard let speakers = options.speakers else { return nil }
        var found = Diarizer.Trace()
        if !summary.isSilence {
            found = try Diarizer(speakers.networks, threads: model.backend.threads).trace(
                sampleCount: summary.count, limits: speakers.limits, read: { try samples.read($0) },
                progress: { updates(.event(TranscriptUpdate.Event(.findingSpeakers(share: $0)))) })
        }
        let clips = SpeechSelection.samples(ofClips: options.clipTimestamps, sampleCount: summary.count).map { clip in
            let start = options.offset + AudioChunk.seconds(of: clip.lowerBound)
            return start..<(options.offset + AudioChunk.seconds(of: clip.upperBound))
        }
        let names = speakers.names(of: found.speakers)
        return SpeakerUpdates(
            SpeakerAssignment(
                turns: found.turns.map {
                    TranscriptTurn(
                        start: options.offset + $0.start, end: options.offset + $0.end, speaker: names[$0.speaker])
                }, spelling: model.spelling), clips: options.clipTimestamps.isEmpty ? nil : clips)
    }
}
