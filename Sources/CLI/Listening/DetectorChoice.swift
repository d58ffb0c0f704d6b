import WhisperEngine

/// The speech detectors that `live`, `dictate` and `bench --live` can use.
enum DetectorChoice: String, CaseIterable, Sendable {
    /// Compares the loudness with the background noise.
    case energy
    /// Silero's network; its weights are a separate file.
    case silero

    /// - Throws: if Silero's weights are missing or damaged.
    func load(_ search: ModelSearch) throws -> any VoiceActivityDetector {
        switch self {
        case .energy: EnergyDetector()
        case .silero: SileroDetector(try VoiceActivityChoice.installedNetwork(search))
        }
    }
}
