/// Bounds on what is taken for sound. Whatever a file claims beyond them is refused before memory is taken.
public enum AudioLimits {
    /// Samples per second.
    public static let sampleRates = 1_000...768_000
    public static let channels = 1...64
    /// Sound of one input, seconds.
    public static let longestSeconds = 100 * 3600
    /// The same in samples of 16 kHz.
    static let longestSamples = longestSeconds * AudioChunk.sampleRate
    /// Bytes of a pipe that are kept so that its header can be looked at before it is read.
    static let streamHeadBytes = 1 << 20
    /// Chunks of a WAV file before its sound.
    static let headerChunks = 10_000
    /// Bytes of a `fmt ` chunk; the largest in use has some 50.
    static let formatChunkBytes = 1 << 16
    /// Bytes read and converted in one go.
    static let blockBytes = 1 << 20
    /// A gap in a container's timestamps up to this is taken for lost sound and filled, a larger one for a clock that
    /// was set anew; seconds.
    static let longestFilledGap = 3600.0
    /// A leap back in the timestamps up to this is taken for sound told twice and dropped, a larger one for a clock
    /// that was set anew; seconds.
    static let longestOverlap = 10.0
    /// Differences between a container's timestamps and the count of samples below this are rounding; seconds.
    static let timestampTolerance = 0.5
    /// Entries of a folder that are looked through for a name like the one asked for.
    static let folderEntries = 10_000
    /// The largest single block that FFmpeg may take, bytes.
    static let decoderBlockBytes = 256 << 20
}
