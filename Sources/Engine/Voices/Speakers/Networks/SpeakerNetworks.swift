public import EngineBasics
public import EngineCompute
import EngineWeights

/// The two networks for speaker diarization, from one file of weights.
///
/// They compute on the calling thread; several threads may use them at the same time.
public final class SpeakerNetworks: Sendable {
    package let path: FilePath
    package let segmentation: SegmentationNetwork
    package let voice: VoiceNetwork

    /// Reads the weights from a safetensors file.
    ///
    /// - Parameters:
    ///   - path: the file that `models pull speakers` installs.
    ///   - computeType: the number format of the products.
    /// - Throws: `ModelError` if the file cannot be read or is something else, `ComputeError`.
    public init(_ path: FilePath, computeType: ComputeType = .auto) throws {
        self.path = path
        let file = try SafetensorsFile(path)
        let backend = try ComputeOptions(computeType: computeType, threads: 1).makeBackend()
        let exact = try ComputeOptions(computeType: .float32, threads: 1).makeBackend()
        func weights(_ prefix: String) -> NetworkWeights {
            NetworkWeights(file: file, prefix: prefix, backend: backend, exact: exact)
        }
        segmentation = try SegmentationNetwork(weights("segmentation."))
        voice = try VoiceNetwork(weights("embedding."))
        try file.checkUnchanged()
    }
}

extension SpeakerNetworks: Hashable {
    /// Whether both are the same object.
    public static func == (a: SpeakerNetworks, b: SpeakerNetworks) -> Bool { a === b }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
