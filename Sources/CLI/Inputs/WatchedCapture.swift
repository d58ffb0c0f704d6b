import WhisperEngine

/// A source on its way to a session: ended after a length of sound, and told of to a listener.
final class WatchedCapture: CaptureSource {
    private let source: any CaptureSource
    private let limit: Int?
    private let listener: @Sendable (CaptureEvent) -> Void

    /// - Parameters:
    ///   - limit: samples; `nil` is no end.
    ///   - listener: told every event in order, before the session hears of it.
    init(_ source: any CaptureSource, limit: Int?, listener: @escaping @Sendable (CaptureEvent) -> Void) {
        (self.source, self.limit, self.listener) = (source, limit, listener)
    }

    var device: String? { source.device }

    func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
        let watch = CaptureWatch(source.events(), limit: limit, listener: listener)
        return AsyncThrowingStream(unfolding: { [source] in
            if let event = try await watch.next() { return event }
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
private actor CaptureWatch {
    private var events: AsyncThrowingStream<CaptureEvent, any Error>.Iterator
    private var left: Int?
    private let listener: @Sendable (CaptureEvent) -> Void

    init(
        _ events: AsyncThrowingStream<CaptureEvent, any Error>, limit: Int?,
        listener: @escaping @Sendable (CaptureEvent) -> Void
    ) {
        self.events = events.makeAsyncIterator()
        (left, self.listener) = (limit, listener)
    }

    func next() async throws -> CaptureEvent? {
        if left == 0 { return nil }
        var iterator = events
        let next = try await iterator.next(isolation: self)
        events = iterator
        guard var event = next else { return nil }
        if case .samples(let samples) = event, let left {
            let heard = Array(samples.prefix(left))
            self.left = left - heard.count
            event = .samples(heard)
        }
        listener(event)
        return event
    }
}
