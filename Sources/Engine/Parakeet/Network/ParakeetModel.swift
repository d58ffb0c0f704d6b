import EngineAudio
package import EngineCompute
package import EngineModels
import EngineWeights

/// A FastConformer recognizer with its weights; immutable and shared by any number of encoders and decoders.
package final class ParakeetModel: Sendable {
    package let dimensions: ParakeetDimensions
    package let vocabulary: ParakeetVocabulary
    package let traits: ModelTraits
    package let backend: any ComputeBackend
    /// Where its large weights are.
    package let packedWeights: PackedWeights

    let features: ParakeetFeatures
    let subsampling: Subsampling
    let layers: [ConformerLayer]
    let promptProjection: PromptProjection?
    let decoder: DecoderLayers

    /// The longest piece of audio that is heard by itself, in seconds. The models were trained with up to 40.
    package static let longestPiece = 30.0
    /// Seconds per encoder frame, of 8 feature frames of 10 ms.
    package static let frameSeconds = 0.08

    /// The length of samples in encoder frames.
    static func frames(in samples: Int) -> Double { AudioChunk.seconds(of: samples) / frameSeconds }

    /// Reads all weights and converts them to the backend's formats; the file is not needed afterwards.
    ///
    /// - Parameter memory: available bytes; `nil` asks the system.
    /// - Throws: `ModelError`, `ComputeError`.
    package init(
        _ file: any ParakeetFile, backend: any ComputeBackend, memory: Int? = nil, packedWeights: PackedWeights = .own
    ) throws {
        let d = file.dimensions
        let needs = ParakeetMemory.bytes(for: file, computeType: backend.computeType)
        try file.checkMemory(needs: needs, threads: backend.threads, memory: memory)
        dimensions = d
        vocabulary = file.vocabulary
        traits = ModelTraits(d, file.vocabulary)
        self.backend = backend
        self.packedWeights = packedWeights
        features = ParakeetFeatures(bands: d.bands)
        try ParakeetFeatures.check(file.featureTables, bands: d.bands)
        let loader = try ParakeetLoader(file, backend: backend)
        let positions = try ParakeetPositions.table(reach: d.reach, width: d.width)
        subsampling = try loader.subsampling()
        layers = try (0..<d.layers).map { try loader.layer($0, positions: positions) }
        promptProjection = try loader.promptProjection()
        decoder = try loader.decoder()
        try file.checkUnchanged()
    }

    /// Loads a model with a new backend for `options`.
    ///
    /// - Throws: `ModelError`, `ComputeError`.
    package static func load(_ file: any ParakeetFile, options: ComputeOptions) throws -> ParakeetModel {
        try file.load(options) { try ParakeetModel(file, backend: $0, packedWeights: $1) }
    }
}

extension ParakeetDimensions {
    /// Seconds of audio that are encoded at once. A streaming encoder remembers what it needs of the audio before.
    private var encodedSeconds: Double { streaming == nil ? ParakeetModel.longestPiece : 10 }

    /// The most frames that are encoded at once.
    var mostFrames: Int { frames(features: Int(encodedSeconds * 100)) }

    /// The greatest distance of two frames that see each other.
    var reach: Int { streaming?.reach ?? mostFrames - 1 }
}
