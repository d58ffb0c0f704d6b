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

/// A lock-free ring buffer of samples with one producer, the capture thread, and one consumer.
///
/// Only the producer advances `written` and only the consumer advances `consumed`; each side releases what the other
/// acquires, so that no slot is written and read at the same time.
package final class CaptureRingBuffer: Sendable {
    /// Samples, a power of two: 4.1 s.
    package static let capacity = 65_536

    private let slots: InlineArray<65_536, Atomic<Int16>>
    private let writtenCount = Atomic<UInt64>(0)
    private let consumedCount = Atomic<UInt64>(0)

    package init() { slots = InlineArray { _ in Atomic(0) } }

    /// Samples written since the start; for both sides.
    package var written: UInt64 { writtenCount.load(ordering: .acquiring) }
    /// Samples consumed since the start.
    package var consumed: UInt64 { consumedCount.load(ordering: .acquiring) }
    /// Samples that can be written now; for the producer.
    package var freeCount: Int { Self.capacity - Int(written - consumed) }

    /// Writes the first `count` samples, or as many of them as fit.
    ///
    /// - Returns: the number of samples written.
    @discardableResult
    package func write(_ samples: [Int16], count: Int) -> Int {
        let start = writtenCount.load(ordering: .relaxed)
        let count = max(0, min(count, samples.count, freeCount))
        for index in 0..<count {
            slots[Self.slot(start &+ UInt64(index))].store(samples[index], ordering: .relaxed)
        }
        writtenCount.store(start &+ UInt64(count), ordering: .releasing)
        return count
    }

    /// Removes the samples before position `end` that have been written, converted to -1…1.
    package func read(before end: UInt64 = .max) -> [Float] {
        let start = consumedCount.load(ordering: .relaxed)
        let end = min(end, written)
        guard end > start else { return [] }
        let samples = (start..<end).map { Float(slots[Self.slot($0)].load(ordering: .relaxed)) / 32_768 }
        consumedCount.store(end, ordering: .releasing)
        return samples
    }

    private static func slot(_ position: UInt64) -> Int { Int(position & UInt64(capacity - 1)) }
}
