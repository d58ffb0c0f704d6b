import EngineTranscripts

/// Publishes the output of a session: finals go to the journal first, then everything goes to the reader.
///
/// Finals that the journal could not store are kept and retried every second. Unless `showsUnsaved` is set, neither they
/// nor any later text is published until they are stored.
package final class UpdatePublisher {
    private let journal: (any SessionJournal)?
    private let queue: UpdateQueue
    private let showsUnsaved: Bool
    private let now: () -> ContinuousClock.Instant
    /// Batches of finals that are not stored yet, each with the session clock at that time.
    private var unsaved: [(finals: [TranscriptSegment], clock: Int)] = []
    /// Clock events after those finals.
    private var events: [(event: ClockEvent, position: Int, lost: Int)] = []
    /// Volatile text held back until earlier finals are stored.
    private var volatile: TranscriptSegment?
    private var lastAttempt: ContinuousClock.Instant?
    /// Why the last attempt to store something failed.
    package private(set) var failure: (any Error)?
    /// The current session clock, set by the session.
    package var clock = 0

    /// - Parameters:
    ///   - journal: `nil` publishes finals without storing them.
    ///   - showsUnsaved: whether to publish finals even if they cannot be stored.
    ///   - now: the current time, replaced in tests.
    package init(
        journal: (any SessionJournal)?, queue: UpdateQueue, showsUnsaved: Bool,
        now: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        self.journal = journal
        self.queue = queue
        self.showsUnsaved = showsUnsaved
        self.now = now
    }

    /// Number of finals that are not stored yet.
    var unsavedCount: Int { unsaved.reduce(0) { $0 + $1.finals.count } }
    /// Why finals are not stored, in words.
    package var problem: String? { unsaved.isEmpty ? nil : failure.map { "\($0)" } }

    package func publish(_ output: LiveLoop.Output) {
        switch output {
        case .finals(let finals):
            volatile = nil
            guard journal != nil else { return enqueue(finals) }
            unsaved.append((finals, clock))
            if showsUnsaved { enqueue(finals) }
            flush(isDue: unsaved.count == 1)
        case .volatile(let segment):
            if unsaved.isEmpty || showsUnsaved { return queue.add(.volatile(segment)) }
            volatile = segment
        case .language(let language):
            queue.add(.language(code: language.code, probability: language.probability))
        case .utterance(let event):
            queue.add(.event(TranscriptUpdate.Event(.utterance(event))))
        }
    }

    /// Records what happened to the session clock at sample `position`.
    package func record(_ event: ClockEvent, at position: Int, lost: Int = 0) {
        guard journal != nil else { return }
        events.append((event, position, lost))
        flush(isDue: unsaved.isEmpty && events.count == 1)
    }

    /// Stores everything pending, at most once a second unless `isDue`.
    package func flush(isDue: Bool = false) {
        guard let journal, !unsaved.isEmpty || !events.isEmpty else { return }
        if !isDue, let lastAttempt, now() - lastAttempt < .seconds(1) { return }
        lastAttempt = now()
        do {
            while let batch = unsaved.first {
                try journal.append(batch.finals, clock: batch.clock)
                unsaved.removeFirst()
                if !showsUnsaved { enqueue(batch.finals) }
            }
            while let next = events.first {
                try journal.record(next.event, at: next.position, lostSamples: next.lost)
                events.removeFirst()
            }
            failure = nil
            if let volatile { queue.add(.volatile(volatile)) }
            volatile = nil
        } catch {
            failure = error
        }
    }

    /// Stores what can be stored and closes the journal. Finals that cannot be stored are published now; they would be
    /// lost otherwise.
    ///
    /// - Parameter isFailed: whether the session ends with audio that it could not recognize. Its journal stays open, as
    ///   after a crash, so that the audio can be recovered.
    package func finish(isCancelled: Bool, isFailed: Bool = false, clock: Int) {
        flush(isDue: true)
        if !showsUnsaved { for batch in unsaved { enqueue(batch.finals) } }
        if isFailed { return }
        do { try journal?.close(cancelled: isCancelled, clock: clock) } catch { failure = failure ?? error }
    }

    private func enqueue(_ finals: [TranscriptSegment]) {
        for final in finals { queue.add(.final(final)) }
    }
}
