import EngineBasics
package import EngineCompute
package import EngineWhisper
import Foundation

/// Small models with random weights, and the reference's results for them.
package enum NetworkFixture {
    package static let models = ["micro.en", "micro-v3"]
    package static let backends = [ComputeOptions.Backend.reference] + BackendFixture.choices

    /// The documented bound: maximum difference / maximum value.
    package static let tolerance: Float = 2e-3

    package static func model(_ name: String, _ backend: ComputeOptions.Backend) throws -> WhisperModel {
        let path = Fixtures.url("models/ggml-\(name).bin").path(percentEncoded: false)
        return try WhisperModel(
            try GGMLFile(FilePath(path)),
            backend: try ComputeOptions(backend: backend, computeType: .float32, threads: 2).makeBackend())
    }

    /// The scaled log-mel window that the reference results were computed from.
    package static func window(_ name: String) throws -> [Float] {
        try MelFixture("mel/espeak-fox-window-\(name == "micro-v3" ? 128 : 80)").window(3000)
    }

    /// The maximum difference relative to the reference's maximum.
    package static func error(_ values: [Float], _ expected: [Float]) -> Float {
        values.isEmpty ? .infinity : greatestDifference(values, expected) / greatestMagnitude(expected)
    }
}
