/// How speech is told from silence before a recording is recognized. Defaults are faster-whisper's.
public struct VoiceActivityOptions: Hashable, Sendable {
    /// What listens.
    public enum Detector: Hashable, Sendable {
        /// Loudness above the noise.
        case energy
        case silero(SileroNetwork)
    }

    public var detector: Detector
    /// The probability from which sound counts as speech, for detectors that give one.
    public var threshold: Float = 0.5
    /// Shorter speech is dropped, before pads are added.
    public var minSpeechMilliseconds = 0
    /// Shorter silence does not end speech; `nil` is 2000, or 160 for windows decoded side by side.
    public var minSilenceMilliseconds: Int?
    /// Kept before and behind speech.
    public var speechPadMilliseconds = 400

    public init(detector: Detector = .energy) {
        self.detector = detector
    }
}

extension SileroNetwork: Hashable {
    /// Whether both are the same object.
    public static func == (a: SileroNetwork, b: SileroNetwork) -> Bool { a === b }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
