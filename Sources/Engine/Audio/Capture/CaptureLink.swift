import Synchronization

/// Between the thread that captures and the pump that listens: samples through the ring, all else, which is rare,
/// with its place among them.
package final class CaptureLink: Sendable {
    package let ring = CaptureRing()
    package let control = CaptureControl()
    private let state = Mutex(State())
    private let waiting = Atomic<Int>(0)

    private struct State {
        var markers: [(position: UInt64, event: CaptureEvent)] = []
        var ending: Ending?
        var device: String?
    }

    package enum Ending: Sendable, Equatable {
        case stopped
        case failed(CaptureError)
    }

    package init() {}

    // MARK: For the thread

    /// Something happened behind what is written so far.
    func post(_ event: CaptureEvent) {
        state.withLock { $0.markers.append((ring.written, event)) }
    }

    func opened(_ device: String) { state.withLock { $0.device = device } }

    /// The thread's last word.
    func end(_ ending: Ending) { state.withLock { $0.ending = $0.ending ?? ending } }

    /// Samples that the device or its server still hold.
    func note(backlog: Int) { waiting.store(backlog, ordering: .relaxed) }

    // MARK: For the pump

    package var device: String? { state.withLock(\.device) }
    package var ending: Ending? { state.withLock(\.ending) }
    package var backlog: Int { waiting.load(ordering: .relaxed) }

    /// The next samples or event, `nil` where nothing waits.
    ///
    /// - Parameter least: fewer samples stay where they are, unless an event waits behind them.
    package func next(least: Int) -> CaptureEvent? {
        // Samples first: what was posted before them is seen then, too.
        let end = ring.written
        let marker = state.withLock { state -> (position: UInt64, event: CaptureEvent)? in
            guard let first = state.markers.first, first.position <= end else { return nil }
            if first.position <= ring.taken { state.markers.removeFirst() }
            return first
        }
        if let marker, marker.position <= ring.taken { return marker.event }
        guard marker != nil || end - ring.taken >= UInt64(max(1, least)) else { return nil }
        return .samples(ring.take(before: marker?.position ?? end))
    }
}
