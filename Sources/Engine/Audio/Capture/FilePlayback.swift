/// Hands out a recording's samples in blocks of 20 ms, each when it is due.
actor FilePlayback<C: Clock<Duration>> {
    private let speed: PlaybackSpeed
    private let clock: C
    private let control: CaptureControl
    private var chunks: AsyncThrowingStream<AudioChunk, any Error>.Iterator
    private var pending: [Float] = []
    /// Samples of `pending` that were handed out.
    private var taken = 0
    /// Samples handed out in all.
    private var position = 0
    private var isAtEnd = false
    /// When the first sample was spoken; later by as much as was paused.
    private var start: C.Instant?

    /// How often a pause or a long block looks whether it is over.
    private static var patience: Duration { .milliseconds(10) }

    init(_ chunks: AsyncThrowingStream<AudioChunk, any Error>, speed: PlaybackSpeed, clock: C, control: CaptureControl) {
        self.chunks = chunks.makeAsyncIterator()
        self.speed = speed
        self.clock = clock
        self.control = control
    }

    func next() async throws -> CaptureEvent? {
        try await fill()
        let count = min(FileCapture.blockSamples, pending.count - taken)
        guard count > 0, try await isSpoken(position + count) else {
            isAtEnd = true
            (pending, taken) = ([], 0)
            return nil
        }
        let block = Array(pending[taken..<(taken + count)])
        taken += count
        position += count
        return .samples(block)
    }

    private func fill() async throws {
        while !isAtEnd, pending.count - taken < FileCapture.blockSamples {
            var iterator = chunks
            let chunk = try await iterator.next(isolation: self)
            chunks = iterator
            guard let chunk else {
                isAtEnd = true
                return
            }
            pending = Array(pending[taken...]) + chunk.samples
            taken = 0
        }
    }

    /// Waits until the sample at `end` is due.
    ///
    /// - Returns: `false` when it was stopped before.
    private func isSpoken(_ end: Int) async throws -> Bool {
        while !control.isStopped {
            try Task.checkCancellation()
            let now = clock.now
            let start = self.start ?? now
            self.start = start
            if control.isPaused {
                try await clock.sleep(until: now.advanced(by: Self.patience), tolerance: nil)
                self.start = start.advanced(by: now.duration(to: clock.now))
                continue
            }
            guard let factor = speed.factor else { return true }
            let due = start.advanced(by: .seconds(Double(end) / (Double(AudioChunk.sampleRate) * factor)))
            if now >= due { return true }
            try await clock.sleep(until: min(due, now.advanced(by: Self.patience)), tolerance: nil)
        }
        return false
    }
}
