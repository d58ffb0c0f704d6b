import Synchronization
import WhisperEngine

/// One journal for all the recordings of a run, each of which is a session of the engine.
final class DictationJournal: SessionJournal {
    private struct State {
        var start: SessionStart
        /// Utterances of the recordings before.
        var utterances = 0
        var nextUtterance = 0
    }

    private let journal: SQLiteJournal
    private let state: Mutex<State>

    private static let contextCharacters = 200

    init(_ journal: SQLiteJournal) {
        self.journal = journal
        state = Mutex(
            State(
                start: SessionStart(
                    id: journal.session, clock: journal.clock, nextID: journal.nextID, context: journal.context)))
    }

    /// Where the next recording begins.
    var start: SessionStart { state.withLock { $0.start } }

    func append(_ finals: [TranscriptSegment], clock: Int) throws {
        let base = state.withLock { $0.utterances }
        let shifted = finals.map { final in
            var final = final
            final.utterance += base
            return final
        }
        try journal.append(shifted, clock: clock)
        state.withLock { state in
            state.start.nextID = max(state.start.nextID, (finals.last?.id ?? -1) + 1)
            state.start.context = String(
                (state.start.context + finals.map(\.text).joined()).suffix(Self.contextCharacters))
            state.nextUtterance = max(state.nextUtterance, (shifted.last?.utterance ?? -1) + 1)
        }
        advance(to: clock)
    }

    func record(_ event: ClockEvent, at position: Int, lostSamples: Int) throws {
        try journal.record(event, at: position, lostSamples: lostSamples)
        advance(to: position)
    }

    /// The end of one recording.
    func close(cancelled: Bool, clock: Int) throws {
        advance(to: clock)
        state.withLock { $0.utterances = $0.nextUtterance }
    }

    /// The end of the run.
    func closeAll() throws { try journal.close(cancelled: false, clock: start.clock) }

    private func advance(to clock: Int) {
        state.withLock { $0.start.clock = max($0.start.clock, clock) }
    }
}
