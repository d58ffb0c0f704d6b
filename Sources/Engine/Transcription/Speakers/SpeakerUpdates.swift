import Synchronization

/// Names the speakers in the updates and the transcript of a recording. Parts of a divided segment are segments of their
/// own, so that the numbers of later ones increase.
package final class SpeakerUpdates: Sendable {
    private let assignment: SpeakerAssignment
    /// The number of segments that were added by dividing others.
    private let added = Mutex(0)

    package init(_ assignment: SpeakerAssignment) { self.assignment = assignment }

    /// Passes updates on; finals have their speaker, volatile text has none.
    package func updates(_ updates: @escaping @Sendable (TranscriptUpdate) -> Void)
        -> @Sendable (TranscriptUpdate) -> Void
    {
        { [self] update in
            guard case .final(let segment) = update else { return updates(update) }
            let parts = added.withLock { number(assignment.parts(of: segment), added: &$0) }
            for part in parts { updates(.final(part)) }
        }
    }

    /// The same transcript with speakers and turns.
    package func transcript(_ transcript: Transcript) -> Transcript {
        var result = transcript, added = 0
        result.segments = transcript.segments.flatMap { number(assignment.parts(of: $0), added: &added) }
        result.turns = assignment.turns
        return result
    }

    private func number(_ parts: [TranscriptSegment], added: inout Int) -> [TranscriptSegment] {
        var parts = parts
        for index in parts.indices { parts[index].id += added + index }
        added += parts.count - 1
        return parts
    }
}

extension Recognizer {
    /// Finds who speaks when in a recording that has been read; `nil` if that was not requested.
    ///
    /// - Parameter updates: receives the progress.
    /// - Throws: `CancellationError`, `ComputeError.outOfMemory`, and errors of reading the samples.
    nonisolated func findSpeakers(
        in samples: SampleStore, _ summary: RecordingReader.Summary, options: TranscriptionOptions,
        updates: (TranscriptUpdate) -> Void
    ) throws -> SpeakerUpdates? {
        guard let speakers = options.speakers else { return nil }
        var found = Diarizer.Trace()
        if !summary.isSilence {
            found = try Diarizer(speakers.networks, threads: model.backend.threads).trace(
                sampleCount: summary.count, limits: speakers.limits, read: { try samples.read($0) },
                progress: { updates(.event(TranscriptUpdate.Event(.findingSpeakers(share: $0)))) })
        }
        let names = speakers.names(of: found.speakers)
        return SpeakerUpdates(
            SpeakerAssignment(
                turns: found.turns.map {
                    TranscriptTurn(
                        start: options.offset + $0.start, end: options.offset + $0.end, speaker: names[$0.speaker])
                }, tokenizer: tokenizer))
    }
}
