import Synchronization

/// Connects the capture thread to its consumer: samples go through a ring buffer; the other events, which are rare, are
/// queued with their positions among the samples.
package final class CaptureChannel: Sendable {
    package let ring = CaptureRingBuffer()
    package let control = CaptureControl()
    private let state = Mutex(State())

    private struct State {
        var events: [(position: UInt64, event: CaptureEvent)] = []
        var ending: Ending?
        var device: String?
    }

    package enum Ending: Sendable, Equatable {
        case stopped
        case failed(CaptureError)
    }

    package init() {}

    // MARK: Producer

    /// Queues an event after the samples written so far.
    func post(_ event: CaptureEvent) {
        state.withLock { $0.events.append((ring.written, event)) }
    }

    func setDevice(_ device: String) { state.withLock { $0.device = device } }

    /// Marks the end; only the first call counts.
    func end(_ ending: Ending) { state.withLock { $0.ending = $0.ending ?? ending } }

    // MARK: Consumer

    package var device: String? { state.withLock(\.device) }
    package var ending: Ending? { state.withLock(\.ending) }

    /// Removes the next samples or event; `nil` if there is none.
    ///
    /// - Parameter minSamples: fewer samples than this stay in the buffer, unless an event follows them.
    package func next(minSamples: Int) -> CaptureEvent? {
        // Read the position first, so that events posted before these samples are seen too.
        let end = ring.written
        let next = state.withLock { state -> (position: UInt64, event: CaptureEvent)? in
            guard let first = state.events.first, first.position <= end else { return nil }
            if first.position <= ring.consumed { state.events.removeFirst() }
            return first
        }
        if let next, next.position <= ring.consumed { return next.event }
        guard next != nil || end - ring.consumed >= UInt64(max(1, minSamples)) else { return nil }
        return .samples(ring.read(before: next?.position ?? end))
    }
}
