/// What a microphone, or what stands in for one, gives.
public enum CaptureEvent: Sendable, Equatable {
    /// The next samples, 16 kHz mono, each a multiple of 1/32768.
    case samples([Float])
    /// Sound was lost, about so many samples.
    case overrun(lostSamples: Int)
    /// The device went away; it is tried again.
    case deviceLost(reason: String)
    case deviceBack
    /// The device gives nothing though it is there: muted, or taken by another program.
    case stalled
}

/// Sound as it is spoken: it comes when it comes, and what is not taken in time is lost.
public protocol CaptureSource: Sendable {
    /// The device's name, `nil` for a file.
    var device: String? { get }

    /// Sound from now on; the stream ends where a file ends, after `stop`, or when its iteration is broken off.
    ///
    /// - Throws: in iteration, when there is no device to begin with.
    func events() -> AsyncThrowingStream<CaptureEvent, any Error>

    /// Stops capturing without closing the device; sound is not kept meanwhile.
    func pause()
    func resume()

    /// Ends the stream after what was captured so far.
    func stop()

    /// How long samples may wait for more before they are handed out. Short intervals cost wake-ups, so 20 ms are for
    /// speech and 100 ms for silence; a source that hands out what it has at once takes no notice.
    func setInterval(_ interval: Duration)
}

extension CaptureSource {
    public func setInterval(_ interval: Duration) {}
}
