/// Options for skipping silence before a recording is transcribed. The defaults are faster-whisper's.
public struct VoiceActivityOptions: Hashable, Sendable {
    /// The speech detector.
    public enum Detector: Hashable, Sendable {
        /// Level above the noise floor; needs no weights.
        case energy
        /// Silero's neural network.
        case silero(SileroNetwork)
    }

    /// The speech probability from which Silero's network counts a window as speech.
    public static let defaultThreshold: Float = 0.5
    /// Milliseconds of silence that end a segment of speech.
    public static let defaultMinSilenceMilliseconds = 2000
    /// Milliseconds of padding on both sides of a segment of speech.
    public static let defaultSpeechPadMilliseconds = 400

    public var detector: Detector
    /// The speech probability from which a window counts as speech, 0…1; only Silero's network uses it.
    public var threshold = Self.defaultThreshold
    /// Speech shorter than this, without padding, is dropped.
    public var minSpeechMilliseconds = 0
    /// Silence shorter than this does not end a segment; `nil` means 2000, or 160 when windows are decoded in batches.
    public var minSilenceMilliseconds: Int?
    /// Padding kept before and after each segment of speech.
    public var speechPadMilliseconds = Self.defaultSpeechPadMilliseconds

    public init(detector: Detector = .energy) {
        self.detector = detector
    }
}
