/// Options for skipping silence before a recording is transcribed. The defaults are faster-whisper's.
public struct VoiceActivityOptions: Hashable, Sendable {
    /// The speech detector.
    public enum Detector: Hashable, Sendable {
        /// Level above the noise floor; needs no weights.
        case energy
        /// Silero's neural network. A window counts as speech from a probability of `threshold` on, 0…1.
        case silero(SileroNetwork, threshold: Float = VoiceActivityOptions.defaultThreshold)

        /// Whether it distinguishes speech from noise and music.
        package var distinguishesNoise: Bool {
            if case .silero = self { true } else { false }
        }

        /// - Parameter keepsStretches: whether it keeps `stretches`, if it can.
        package func makeDetector(keepsStretches: Bool = false) -> any VoiceActivityDetector {
            switch self {
            case .energy: EnergyDetector()
            case .silero(let network, let threshold):
                SileroDetector(network, threshold: threshold, keepsStretches: keepsStretches)
            }
        }

        /// A detector for live audio, in which Silero's network decides only in loud noise.
        package func makeLiveDetector() -> any VoiceActivityDetector {
            switch self {
            case .energy: EnergyDetector()
            case .silero(let network, let threshold): NoiseAwareDetector(network, threshold: threshold)
            }
        }
    }

    // `VoiceActivityFixture` relies on the reference's defaults; the guards, live audio and AssemblyAI's version 2 share them.
    // `EnergyDetector` has its levels, `SpeechSelection` the silence between batches, and the server's protocols (OpenAI,
    // whisper.cpp, AssemblyAI's version 3) have their own.

    /// The speech probability from which Silero's network counts a window as speech.
    public static let defaultThreshold: Float = 0.5
    /// Milliseconds of silence that end a segment of speech.
    package static let defaultMinSilenceMilliseconds = 2000
    /// Milliseconds of padding on both sides of a segment of speech.
    package static let defaultSpeechPadMilliseconds = 400

    public var detector: Detector
    /// Speech shorter than this, without padding, is dropped.
    public var minSpeechMilliseconds = 0
    /// Silence shorter than this does not end a segment; `nil` means 2000, or 160 when windows are decoded in batches.
    public var minSilenceMilliseconds: Int?
    /// Speech ends below this probability of Silero's network; `nil` means 0.15 below its threshold, at least 0.01.
    public var endThreshold: Float?
    /// Longer speech is split at a silence, or anywhere if there is none; `nil` for no limit.
    public var maxSpeechSeconds: Double?
    /// Padding kept before and after each segment of speech.
    public var speechPadMilliseconds = Self.defaultSpeechPadMilliseconds

    public init(detector: Detector = .energy) {
        self.detector = detector
    }
}
