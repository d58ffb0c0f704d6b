/// Any sound as a stream of 16 kHz mono samples.
///
/// Conformers: `WAVSource`, `FFmpegSource`, `PCMSource` (and later the microphone).
public protocol AudioSource: Sendable {
    /// Length of the sound, `nil` if unknown (a pipe, a microphone).
    var duration: Duration? { get }

    /// The samples from the start, in order, without gaps. Each call starts over where the source can
    /// (a file); a pipe can be read once.
    func chunks() -> AsyncThrowingStream<AudioChunk, any Error>
}

/// A run of samples.
public struct AudioChunk: Sendable, Equatable {
    /// Samples per second of every chunk.
    public static let sampleRate = 16_000

    /// Index of the first sample, counted from the start of the sound.
    public let start: Int
    /// Mono, -1…1. From files each value is a multiple of 1/32768, as the reference reads 16-bit samples.
    public let samples: [Float]

    public init(start: Int, samples: [Float]) {
        self.start = start
        self.samples = samples
    }
}
