/// Something that happened to a session's clock.
package struct StoredClockEvent: Sendable, Hashable {
    package let event: ClockEvent
    /// Where on the session's clock.
    package let sample: Int
    package let wallTime: WallTime?
    package let lostSamples: Int

    /// When a sample was spoken, by the last moment up to it at which sound began to come; `nil` where there is none.
    package static func wallTime(of sample: Int, in events: [StoredClockEvent]) -> WallTime? {
        let last = events.last { event in
            event.sample <= sample && [.start, .resume, .deviceBack, .gap].contains(event.event)
                && event.wallTime != nil
        }
        guard let last, let begin = last.wallTime else { return nil }
        let (distance, overflow) = (sample - last.sample).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return nil }
        return WallTime(milliseconds: begin.milliseconds + distance / AudioChunk.sampleRate)
    }
}
