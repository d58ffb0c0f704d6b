/// Any sound played as if it were spoken now: what stands in for a microphone.
///
/// Blocks of 20 ms come when their last sample has been spoken, by the clock given. A listener who is late gets them
/// one after the other: nothing is lost. While paused the recording waits.
public final class FileCapture: CaptureSource {
    public let device: String? = nil

    /// Samples of one block; the last one may have fewer.
    public static let blockSamples = 320

    private let source: any AudioSource
    private let speed: PlaybackSpeed
    private let clock: any Clock<Duration>
    private let control = CaptureControl()

    public init(
        _ source: any AudioSource, speed: PlaybackSpeed = .realTime, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.source = source
        self.speed = speed
        self.clock = clock
    }

    public func events() -> AsyncThrowingStream<CaptureEvent, any Error> { played(by: clock) }
    public func pause() { control.pause() }
    public func resume() { control.resume() }
    public func stop() { control.stop() }

    private func played<C: Clock<Duration>>(by clock: C) -> AsyncThrowingStream<CaptureEvent, any Error> {
        let playback = FilePlayback(source.chunks(), speed: speed, clock: clock, control: control)
        return AsyncThrowingStream(unfolding: { try await playback.next() })
    }
}
