import EngineAudio
package import EngineBasics
package import EngineStreaming
package import EngineTranscripts

/// A session in the store.
package struct StoredSession: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// The session is being recorded, or its process died and the store has not noticed yet.
        case open
        case closed, cancelled
        /// The process that recorded the session died.
        case recovered
    }

    package let id: SessionID
    /// The name given by the user.
    package let title: String
    /// ISO 8601, UTC.
    package let created: String
    package let closed: String?
    package let source: String
    package let model: String
    package let language: String?
    package let state: State
    /// Samples on the session clock, where a new run of the session starts.
    package let nextSample: Int
    /// Number of finals.
    package let finals: Int

    /// - Parameter row: the columns of `SessionStore.sessionColumns`.
    init(_ row: SQLiteDatabase.Row) {
        id = SessionID(row.text(0))
        title = row.optionalText(1) ?? row.text(0)
        created = row.text(2)
        closed = row.optionalText(3)
        source = row.text(4)
        model = row.text(5)
        language = row.optionalText(6)
        state = State(rawValue: row.text(7)) ?? .open
        nextSample = row.integer(8)
        finals = row.integer(9)
    }
}

/// A stored event of a session clock.
package struct StoredClockEvent: Sendable, Hashable {
    package let event: ClockEvent
    /// Position on the session clock.
    package let sample: Int
    package let wallTime: WallTime?
    package let lostSamples: Int

    /// Returns when a sample was captured, extrapolated from the last event at which capture started or continued;
    /// `nil` if there is none.
    package static func wallTime(of sample: Int, in events: [StoredClockEvent]) -> WallTime? {
        let last = events.last { event in
            event.sample <= sample && [.start, .resume, .deviceBack, .gap].contains(event.event)
                && event.wallTime != nil
        }
        guard let last, let begin = last.wallTime else { return nil }
        let (distance, isFar) = sample.subtractingReportingOverflow(last.sample)
        let (milliseconds, overflows) = distance.multipliedReportingOverflow(by: 1000)
        guard !isFar, !overflows else { return nil }
        return WallTime(milliseconds: begin.milliseconds + milliseconds / AudioChunk.sampleRate)
    }
}
