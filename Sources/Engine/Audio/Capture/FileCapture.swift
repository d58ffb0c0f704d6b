/// Plays any audio source in real time, in place of a microphone.
///
/// Each 20 ms block is delivered when its last sample is due by the given clock. A slow consumer receives late blocks
/// one after another; nothing is lost. Pausing pauses playback.
package final class FileCapture: CaptureSource {
    package let device: String? = nil

    /// Samples per block; the last one may be shorter.
    package static let blockSamples = 320

    private let source: any AudioSource
    private let speed: PlaybackSpeed
    private let clock: any Clock<Duration>
    private let control = CaptureControl()

    package init(
        _ source: any AudioSource, speed: PlaybackSpeed = .realTime, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.source = source
        self.speed = speed
        self.clock = clock
    }

    package func events() -> AsyncThrowingStream<CaptureEvent, any Error> { play(with: clock) }
    package func pause() { control.pause() }
    package func resume() { control.resume() }
    package func stop() { control.stop() }

    private func play<C: Clock<Duration>>(with clock: C) -> AsyncThrowingStream<CaptureEvent, any Error> {
        let playback = FilePlayback(source.chunks(), speed: speed, clock: clock, control: control)
        return AsyncThrowingStream(unfolding: { try await playback.next() })
    }
}

/// How fast a recording is played.
package struct PlaybackSpeed: Sendable, Equatable {
    /// Multiple of real time; `nil` plays without waiting.
    let factor: Double?

    /// Valid factors. Beyond them a 20 ms block would last longer than a user waits, or no time at all.
    package static let range = 0.01...1000.0

    package static let realTime = PlaybackSpeed(factor: 1)
    /// As fast as the consumer reads.
    package static let unlimited = PlaybackSpeed(factor: nil)

    /// Returns `nil` for a factor outside `range`.
    package init?(_ factor: Double) {
        guard Self.range.contains(factor) else { return nil }
        self.factor = factor
    }

    private init(factor: Double?) { self.factor = factor }
}

/// Delivers a recording's samples in 20 ms blocks, each when it is due.
private actor FilePlayback<C: Clock<Duration>> {
    private let speed: PlaybackSpeed
    private let clock: C
    private let control: CaptureControl
    private var chunks: AsyncThrowingStream<AudioChunk, any Error>.Iterator
    private var pending: [Float] = []
    /// Samples of `pending` already delivered.
    private var consumed = 0
    /// Samples delivered in total.
    private var position = 0
    private var isAtEnd = false
    /// When playback started; moved forward by pauses.
    private var start: C.Instant?

    /// How often a pause or a long block is checked for stop and resume.
    private static var pollInterval: Duration { .milliseconds(10) }

    init(_ chunks: AsyncThrowingStream<AudioChunk, any Error>, speed: PlaybackSpeed, clock: C, control: CaptureControl)
    {
        self.chunks = chunks.makeAsyncIterator()
        self.speed = speed
        self.clock = clock
        self.control = control
    }

    func next() async throws -> CaptureEvent? {
        try await fill()
        let count = min(FileCapture.blockSamples, pending.count - consumed)
        guard count > 0, try await waitUntilDue(position + count) else {
            isAtEnd = true
            (pending, consumed) = ([], 0)
            return nil
        }
        let block = Array(pending[consumed..<(consumed + count)])
        consumed += count
        position += count
        return .samples(block)
    }

    private func fill() async throws {
        while !isAtEnd, pending.count - consumed < FileCapture.blockSamples {
            var iterator = chunks
            let chunk = try await iterator.next(isolation: self)
            chunks = iterator
            guard let chunk else {
                isAtEnd = true
                return
            }
            pending = Array(pending[consumed...]) + chunk.samples
            consumed = 0
        }
    }

    /// Waits until the sample at `end` is due.
    ///
    /// - Returns: `false` if playback was stopped first.
    private func waitUntilDue(_ end: Int) async throws -> Bool {
        while !control.isStopped {
            try Task.checkCancellation()
            let now = clock.now
            let start = self.start ?? now
            self.start = start
            if control.isPaused {
                try await clock.sleep(until: now.advanced(by: Self.pollInterval), tolerance: nil)
                self.start = start.advanced(by: now.duration(to: clock.now))
                continue
            }
            guard let factor = speed.factor else { return true }
            let due = start.advanced(by: .seconds(Double(end) / (Double(AudioChunk.sampleRate) * factor)))
            if now >= due { return true }
            try await clock.sleep(until: min(due, now.advanced(by: Self.pollInterval)), tolerance: nil)
        }
        return false
    }
}
