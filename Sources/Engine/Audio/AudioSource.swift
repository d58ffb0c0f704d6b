/// A source of audio, read as a stream of 16 kHz mono samples: `AudioFile.open` returns one for a file or pipe,
/// `SampleSource` is one for samples in memory.
public protocol AudioSource: Sendable {
    /// The length of the audio; `nil` if unknown, as for a pipe.
    var duration: Duration? { get }

    /// When the first sample is heard after the start of the file: audio may begin later than the video. Zero by default.
    var start: Duration { get }

    /// Returns the samples from the start, in order and without gaps.
    ///
    /// A file or `SampleSource` can be read repeatedly, a pipe only once. Iterating throws `AudioFormatError` if reading
    /// or decoding fails, and `CancellationError` if the task is cancelled.
    func chunks() -> AsyncThrowingStream<AudioChunk, any Error>

    /// Problems that did not prevent the audio from being read; complete once all samples have been read. None by
    /// default.
    var warnings: [AudioFile.Warning] { get }
}

extension AudioSource {
    public var start: Duration { .zero }
    public var warnings: [AudioFile.Warning] { [] }

    /// The length that the recording itself declares; `nil` if it is unknown, or estimated from the bit rate.
    package var declaredDuration: Duration? {
        #if HAS_FFMPEG
            if let source = self as? FFmpegSource, !source.isDurationKnown { return nil }
        #endif
        return duration
    }
}

/// A block of consecutive samples.
public struct AudioChunk: Sendable, Equatable {
    /// Samples per second in every chunk.
    public static let sampleRate = 16_000

    /// Index of the first sample, counted from the start of the audio.
    public let start: Int
    /// Mono samples, -1…1. Samples from files are multiples of 1/32768, like the 16-bit samples of the reference.
    public let samples: [Float]

    public init(start: Int, samples: [Float]) {
        self.start = start
        self.samples = samples
    }

    package static func seconds(of samples: Int) -> Double { Double(samples) / Double(sampleRate) }

    /// The number of samples in these seconds; times beyond the exact range of a `Double`, and those that are not numbers,
    /// become its last value, negative ones 0.
    package static func samples(in seconds: Double) -> Int {
        let samples = (seconds * Double(sampleRate)).rounded()
        return samples < 0x1p53 ? max(0, Int(max(-1, samples))) : 1 << 53
    }
}
