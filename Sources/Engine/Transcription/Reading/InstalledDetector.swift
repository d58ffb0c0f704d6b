package import EngineInstalled
package import EngineVoices
import EngineWeights

extension VoiceActivityOptions.Detector {
    /// Silero's network if its weights are installed, else energy.
    ///
    /// - Throws: `ModelError` for damaged weights.
    package static func installed(
        _ search: ModelSearch = .standard, threshold: Float = VoiceActivityOptions.defaultThreshold
    ) throws -> Self {
        guard let path = search.path(of: .silero) else { return .energy }
        return .silero(try SileroNetwork(path), threshold: threshold)
    }
}
