/// Hands on what a session finds: finals to its journal first, then everything to its reader.
///
/// What the journal cannot take is kept and tried again each second; until then it is not shown, and neither is what
/// came after it.
package final class FinalsWriter {
    private let journal: (any SessionJournal)?
    private let outbox: UpdateQueue
    private let showsUnsaved: Bool
    private let now: () -> ContinuousClock.Instant
    /// Batches that the journal has not taken, with their clocks.
    private var unsaved: [(finals: [TranscriptSegment], clock: Int)] = []
    /// What happened to the clock behind them.
    private var events: [(event: ClockEvent, position: Int, lost: Int)] = []
    /// Held back until finals before it are written down.
    private var volatile: TranscriptSegment?
    private var lastTry: ContinuousClock.Instant?
    package private(set) var failure: (any Error)?
    /// The session's clock when it calls.
    package var clock = 0

    package init(
        journal: (any SessionJournal)?, outbox: UpdateQueue, showsUnsaved: Bool,
        now: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        self.journal = journal
        self.outbox = outbox
        self.showsUnsaved = showsUnsaved
        self.now = now
    }

    /// Finals that the journal has not taken.
    package var unsavedCount: Int { unsaved.reduce(0) { $0 + $1.finals.count } }

    package func take(_ output: LiveLoop.Output) {
        switch output {
        case .finals(let finals):
            volatile = nil
            guard journal != nil else { return show(finals) }
            unsaved.append((finals, clock))
            if showsUnsaved { show(finals) }
            save(isDue: unsaved.count == 1)
        case .volatile(let segment):
            if unsaved.isEmpty || showsUnsaved { return outbox.add(.volatile(segment)) }
            volatile = segment
        case .language(let language):
            outbox.add(.language(language))
        }
    }

    package func note(_ event: ClockEvent, at position: Int, lost: Int = 0) {
        guard journal != nil else { return }
        events.append((event, position, lost))
        save(isDue: unsaved.isEmpty && events.count == 1)
    }

    /// Tries again what failed, at most once a second unless it is due.
    package func save(isDue: Bool = false) {
        guard let journal, !unsaved.isEmpty || !events.isEmpty else { return }
        if !isDue, let lastTry, now() - lastTry < .seconds(1) { return }
        lastTry = now()
        do {
            while let batch = unsaved.first {
                try journal.append(batch.finals, clock: batch.clock)
                unsaved.removeFirst()
                if !showsUnsaved { show(batch.finals) }
            }
            while let next = events.first {
                try journal.record(next.event, at: next.position, lostSamples: next.lost)
                events.removeFirst()
            }
            failure = nil
            if let volatile { outbox.add(.volatile(volatile)) }
            volatile = nil
        } catch {
            failure = error
        }
    }

    /// Writes what can be written and ends the journal. What cannot is shown now: it would be lost otherwise.
    package func finish(isCancelled: Bool, clock: Int) {
        save(isDue: true)
        if !showsUnsaved { for batch in unsaved { show(batch.finals) } }
        do { try journal?.close(cancelled: isCancelled, clock: clock) } catch { failure = failure ?? error }
    }

    private func show(_ finals: [TranscriptSegment]) {
        for final in finals { outbox.add(.final(final)) }
    }
}
