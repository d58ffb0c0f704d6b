import WhisperEngine

/// A capture source that shows each event to an observer and can end after a given amount of audio.
final class ObservedCapture: CaptureSource {
    private let source: any CaptureSource
    private let limit: Int?
    private let observer: @Sendable (CaptureEvent) -> Void

    /// - Parameters:
    ///   - limit: samples; `nil` is no limit.
    ///   - observer: receives every event in order, before the session does.
    init(_ source: any CaptureSource, limit: Int?, observer: @escaping @Sendable (CaptureEvent) -> Void) {
        (self.source, self.limit, self.observer) = (source, limit, observer)
    }

    var device: String? { source.device }

    func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
        let events = ObservedEvents(source.events(), limit: limit, observer: observer)
        return AsyncThrowingStream(unfolding: { [source] in
            if let event = try await events.next() { return event }
            source.stop()
            return nil
        })
    }

    func pause() { source.pause() }
    func resume() { source.resume() }
    func stop() { source.stop() }
    func setInterval(_ interval: Duration) { source.setInterval(interval) }
}

/// The events of a source up to a limit.
private actor ObservedEvents {
    private var events: AsyncThrowingStream<CaptureEvent, any Error>.Iterator
    private var remaining: Int?
    private let observer: @Sendable (CaptureEvent) -> Void

    init(
        _ events: AsyncThrowingStream<CaptureEvent, any Error>, limit: Int?,
        observer: @escaping @Sendable (CaptureEvent) -> Void
    ) {
        self.events = events.makeAsyncIterator()
        (remaining, self.observer) = (limit, observer)
    }

    func next() async throws -> CaptureEvent? {
        if remaining == 0 { return nil }
        var iterator = events
        let next = try await iterator.next(isolation: self)
        events = iterator
        guard var event = next else { return nil }
        if case .samples(let samples) = event, let remaining {
            let accepted = Array(samples.prefix(remaining))
            self.remaining = remaining - accepted.count
            event = .samples(accepted)
        }
        observer(event)
        return event
    }
}
