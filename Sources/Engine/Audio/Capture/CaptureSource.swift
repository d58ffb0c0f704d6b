import Synchronization

/// An event of a capture source.
package enum CaptureEvent: Sendable, Equatable {
    /// The next samples: 16 kHz mono, each a multiple of 1/32768.
    case samples([Float])
    /// About this many samples were lost.
    case overrun(lostSamples: Int)
    /// The device disappeared; the source keeps trying to reopen it.
    case deviceLost(reason: String)
    /// The device was reopened.
    case deviceBack
    /// The device is open but delivers nothing: it is muted, or another program uses it.
    case stalled
}

/// A source of live audio: a microphone, a pipe, or a file played in real time.
package protocol CaptureSource: Sendable {
    /// The device's name; `nil` for a file or pipe.
    var device: String? { get }

    /// Starts capturing. The stream ends at the end of a file, after `stop`, or when its iteration is cancelled.
    ///
    /// Iterating throws `CaptureError` if there is no device, or if a lost device does not return.
    func events() -> AsyncThrowingStream<CaptureEvent, any Error>

    /// Pauses capturing without closing the device; audio in the meantime is discarded.
    func pause()
    func resume()

    /// Ends the stream once the audio captured so far is delivered.
    func stop()

    /// Sets how long samples may be held back to be delivered together. Short intervals cost wake-ups: use 20 ms during
    /// speech and 100 ms during silence. Sources that deliver samples as they arrive ignore it.
    func setInterval(_ interval: Duration)
}

extension CaptureSource {
    package func setInterval(_ interval: Duration) {}
}

/// The pause and stop requests to a capture source, which polls them.
package final class CaptureControl: Sendable {
    private let paused = Atomic<Bool>(false)
    private let stopped = Atomic<Bool>(false)

    package var isPaused: Bool { paused.load(ordering: .acquiring) }
    package var isStopped: Bool { stopped.load(ordering: .acquiring) }

    package func pause() { paused.store(true, ordering: .releasing) }
    package func resume() { paused.store(false, ordering: .releasing) }
    package func stop() { stopped.store(true, ordering: .releasing) }
}
