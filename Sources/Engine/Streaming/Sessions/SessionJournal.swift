/// What happens to a session's clock.
public enum ClockEvent: String, Sendable, Hashable, CaseIterable {
    case start, pause, resume, gap
    case deviceLost = "device_lost"
    case deviceBack = "device_back"
    case stop
}

/// Where a live session writes down what is final, before anybody sees it.
///
/// Called by one session, one call after another. What a call has returned from survives the death of the process and
/// of the machine.
public protocol SessionJournal: Sendable {
    /// Writes finals, whose ids follow those written before, in one transaction.
    ///
    /// - Parameter clock: samples accepted so far.
    func append(_ finals: [TranscriptSegment], clock: Int) throws

    /// Notes what happened to the clock at sample `position`.
    func record(_ event: ClockEvent, at position: Int, lostSamples: Int) throws

    /// Ends the session; with `cancelled`, what was volatile was dropped.
    func close(cancelled: Bool, clock: Int) throws
}
