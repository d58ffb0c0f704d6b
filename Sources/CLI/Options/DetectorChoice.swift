import WhisperEngine

/// A speech detector on the command line.
enum DetectorChoice: String, CaseIterable, Sendable {
    /// Compares the loudness with the background noise.
    case energy
    /// Silero's network; its weights are a separate file.
    case silero

    /// Loads the weights, if the detector has any.
    ///
    /// - Parameters:
    ///   - weights: Silero's weights; `nil` uses the installed ones.
    ///   - threshold: the probability from which audio counts as speech; only Silero's network uses it.
    /// - Throws: `ModelError` for damaged weights, a report for weights that are not installed.
    func load(
        _ search: ModelSearch, weights: FilePath? = nil, threshold: Float = VoiceActivityOptions.defaultThreshold
    ) throws -> VoiceActivityOptions.Detector {
        guard self == .silero else { return .energy }
        guard let path = weights ?? search.path(of: .silero) else {
            throw ErrorReport(
                .unavailable, "\(HelperNetwork.silero.fileName) is not installed",
                advice: "whisper-local models pull silero-vad, or --vad-model energy")
        }
        return .silero(try SileroNetwork(path), threshold: threshold)
    }
}

/// A speech detector for live audio on the command line.
enum LiveDetectorChoice: String, CaseIterable, Sendable {
    /// Energy, and in loud noise Silero's network if its weights are installed.
    case auto
    case energy
    case silero

    /// Loads the weights, if the detector has any.
    ///
    /// - Throws: `ModelError` for damaged weights, a report for weights that are not installed.
    func makeDetector(_ search: ModelSearch) throws -> any VoiceActivityDetector {
        switch self {
        case .energy: EnergyDetector()
        case .silero: try DetectorChoice.silero.load(search).makeDetector()
        case .auto: try VoiceActivityOptions.Detector.installed(search).makeLiveDetector()
        }
    }
}
