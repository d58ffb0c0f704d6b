import Synchronization
package import EngineTranscripts

/// Names the speakers in the updates and the transcript of a recording. Parts of a divided segment are segments of their
/// own, so that the numbers of later ones increase.
package final class SpeakerUpdates: Sendable {
    private let assignment: SpeakerAssignment
    /// The parts of the recording that are transcribed, in seconds; `nil` is all of it.
    private let clips: [Range<Double>]?
    /// The number of segments that were added by dividing others.
    private let added = Mutex(0)

    package init(_ assignment: SpeakerAssignment, clips: [Range<Double>]? = nil) {
        self.assignment = assignment
        self.clips = clips
    }

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

    /// The same transcript with speakers, and with the turns inside the clips.
    package func transcript(_ transcript: Transcript) -> Transcript {
        var result = transcript, added = 0
        result.segments = transcript.segments.flatMap { number(assignment.parts(of: $0), added: &added) }
        result.turns = turns
        return result
    }

    private var turns: [TranscriptTurn] {
        guard let clips else { return assignment.turns }
        let parts = assignment.turns.flatMap { turn in
            clips.map {
                TranscriptTurn(
                    start: max(turn.start, $0.lowerBound), end: min(turn.end, $0.upperBound), speaker: turn.speaker)
            }
        }
        return parts.filter { $0.start < $0.end }.sorted { $0.start < $1.start }
    }

    private func number(_ parts: [TranscriptSegment], added: inout Int) -> [TranscriptSegment] {
        var parts = parts
        for index in parts.indices { parts[index].id += added + index }
        added += parts.count - 1
        return parts
    }
}
