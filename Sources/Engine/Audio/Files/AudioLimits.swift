/// Limits on audio input. Files that claim more are rejected before any memory is allocated for them.
enum AudioLimits {
    /// Samples per second.
    static let sampleRates = 1_000...768_000
    static let channels = 1...64
    /// Maximum length of one input in seconds.
    static let maxSeconds = 100 * 3600
    /// Maximum length of one input in 16 kHz samples.
    static let maxSamples = maxSeconds * AudioChunk.sampleRate
    /// Bytes of a pipe that are buffered, so that its header can be inspected before it is read.
    static let pipeHeadBytes = 1 << 20
    /// Maximum number of chunks in a WAV header.
    static let headerChunks = 10_000
    /// Maximum bytes in a `fmt ` chunk; the largest in use have about 50.
    static let formatChunkBytes = 1 << 16
    /// Bytes read and converted at a time.
    static let blockBytes = 1 << 20
    /// A gap in a container's timestamps up to this is treated as lost audio and filled, a larger one as a clock reset;
    /// seconds.
    static let maxFilledGap = 3600.0
    /// A backward jump in the timestamps up to this is treated as repeated audio and dropped, a larger one as a clock
    /// reset; seconds.
    static let maxOverlap = 10.0
    /// Smaller differences between timestamps and the number of samples are rounding; seconds.
    static let timestampTolerance = 0.5
    /// Audio that begins less than this after its video is not said to be late: codecs fill their first frames; seconds.
    static let smallestDelay = 0.1
    /// Maximum number of folder entries searched for a similar name.
    static let folderEntries = 10_000
    /// The largest block of memory that FFmpeg may allocate, bytes.
    static let decoderBlockBytes = 256 << 20
}
