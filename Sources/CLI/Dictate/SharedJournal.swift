import Synchronization
import WhisperEngine

/// Saves all recordings of a run in one stored session, although each has its own streaming session.
final class SharedJournal: SessionJournal {
    private struct State {
        var start: SessionStart
        /// The number of utterances in the earlier recordings.
        var utteranceOffset = 0
        var nextUtterance = 0
    }

    private let journal: SQLiteJournal
    private let state: Mutex<State>

    init(_ journal: SQLiteJournal) {
        self.journal = journal
        state = Mutex(State(start: journal.start))
    }

    /// Where the next recording starts.
    var start: SessionStart { state.withLock { $0.start } }

    func append(_ finals: [TranscriptSegment], clock: Int) throws {
        let offset = state.withLock { $0.utteranceOffset }
        let shifted = finals.map { final in
            var final = final
            final.utterance += offset
            return final
        }
        try journal.append(shifted, clock: clock)
        state.withLock { state in
            state.start.nextID = max(state.start.nextID, (finals.last?.id ?? -1) + 1)
            state.nextUtterance = max(state.nextUtterance, (shifted.last?.utterance ?? -1) + 1)
        }
        advance(to: clock)
    }

    func record(_ event: ClockEvent, at position: Int, lostSamples: Int) throws {
        try journal.record(event, at: position, lostSamples: lostSamples)
        advance(to: position)
    }

    /// Ends one recording; the stored session stays open.
    func close(cancelled: Bool, clock: Int) throws {
        advance(to: clock)
        state.withLock { $0.utteranceOffset = $0.nextUtterance }
    }

    /// Ends the stored session.
    func closeAll() throws { try journal.close(cancelled: false, clock: start.clock) }

    private func advance(to clock: Int) {
        state.withLock { $0.start.clock = max($0.start.clock, clock) }
    }
}
