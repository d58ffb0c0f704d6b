/// Mono samples in memory as an audio source.
public struct SampleSource: AudioSource {
    /// The samples at 16 kHz, mono, -1…1.
    public let samples: [Float]

    /// - Parameters:
    ///   - samples: mono, -1…1.
    ///   - sampleRate: samples per second; resampled to 16 kHz if necessary. Traps outside 1,000…768,000.
    public init(_ samples: [Float], sampleRate: Int = AudioChunk.sampleRate) {
        guard sampleRate != AudioChunk.sampleRate else {
            self.samples = samples
            return
        }
        precondition(AudioLimits.sampleRates.contains(sampleRate), "unsupported sample rate \(sampleRate) Hz")
        var resampler = Resampler(from: sampleRate)
        self.samples = resampler.process(samples) + resampler.finish()
    }

    public var duration: Duration? { .seconds(AudioChunk.seconds(of: samples.count)) }

    public func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
        ChunkStream.start { [samples] in Reader(samples) }
    }

    private final class Reader: ChunkReader {
        let isStalled = false
        private let samples: [Float]
        private var position = 0

        init(_ samples: [Float]) { self.samples = samples }

        func next() -> AudioChunk? {
            guard position < samples.count else { return nil }
            let end = min(samples.count, position + AudioChunk.sampleRate)
            defer { position = end }
            return AudioChunk(start: position, samples: Array(samples[position..<end]))
        }
    }
}
