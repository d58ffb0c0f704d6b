import EngineBasics
package import EngineCompute
package import EngineModels
package import EngineWeights
import Synchronization

/// A network with its weights; immutable and shared by any number of encoders and decoders.
package final class WhisperModel: Sendable {
    /// The hyperparameters of the network.
    package let dimensions: ModelDimensions
    package var vocabulary: Vocabulary { tokenizer.vocabulary }
    package let tokenizer: Tokenizer
    /// The alignment heads stored in the file, if any.
    package let alignmentHeads: [AlignmentHead]?
    package let backend: any ComputeBackend
    /// Problems with the weights that do not prevent using the model.
    package let warnings: [ModelWarning]
    /// Where its large weights are.
    package let packedWeights: PackedWeights
    /// The outputs for windows that the encoder has seen before, in tests that decode the same recordings again and again.
    let cache: EncodingCache?

    /// `nil` until it is needed; then the window, or `nil` if there is no memory for it.
    private let silence = Mutex<SilentWindow??>(nil)

    let convolution1: LinearLayer
    let convolution2: LinearLayer
    /// Positional embedding, `[n_audio_ctx, n]`.
    let audioPositions: Tensor
    let encoderBlocks: [EncoderBlockWeights]
    let encoderNorm: NormLayer

    /// `[n_vocab, n]`: token embedding and output projection.
    let tokenEmbedding: any PackedMatrix
    /// Positional embedding, `[n_text_ctx, n]`.
    let textPositions: Tensor
    let decoderBlocks: [DecoderBlockWeights]
    let decoderNorm: NormLayer

    /// Reads all weights and converts them to the backend's formats; the file is not needed afterwards.
    ///
    /// - Parameters:
    ///   - memory: available bytes; `nil` asks the system.
    ///   - packedWeights: where the backend puts large weights.
    ///   - cache: keeps the encoder's outputs.
    /// - Throws: `ModelError`, `ComputeError`.
    package init(
        _ file: any WhisperFile, backend: any ComputeBackend, memory: Int? = nil, packedWeights: PackedWeights = .own,
        cache: EncodingCache? = nil
    ) throws {
        self.cache = cache
        let d = file.dimensions
        let needs = MemoryEstimate.bytes(
            for: file, computeType: backend.computeType, keepsHalves: backend.unmeasured is KernelBackend)
        try file.checkMemory(needs: needs, threads: backend.threads, memory: memory)
        dimensions = d
        // Its tables are made while the weights are read.
        let tokenizer = Deferred { Tokenizer(vocabulary: file.vocabulary) }
        alignmentHeads = file.alignmentHeads
        self.backend = backend
        self.packedWeights = packedWeights
        let loader = WeightLoader(file: file, backend: backend)
        convolution1 = try loader.convolution("encoder.conv1", for: .manyRows)
        convolution2 = try loader.convolution("encoder.conv2", for: .activatedRows)
        audioPositions = try loader.vector("encoder.positional_embedding")
        encoderBlocks = try (0..<d.nAudioLayer).map {
            try loader.block("encoder.blocks.\($0)", width: d.nAudioState, for: .manyRows)
        }
        encoderNorm = try loader.norm("encoder.ln_post")
        tokenEmbedding = try loader.matrix(
            ["decoder.token_embedding.weight"], outputs: d.nVocab, inputs: d.nTextState, for: .table)
        textPositions = try loader.vector("decoder.positional_embedding")
        decoderBlocks = try (0..<d.nTextLayer).map {
            try loader.decoderBlock("decoder.blocks.\($0)", width: d.nTextState)
        }
        decoderNorm = try loader.norm("decoder.ln")
        warnings = try file.warnings + (loader.hasZeroEncoder() ? [.zeroEncoder(path: file.path)] : [])
        self.tokenizer = tokenizer.value
        try file.checkUnchanged()
    }

    /// The window that follows the sound of short ones, loaded or computed when it is first needed.
    ///
    /// - Returns: `nil` if there is no memory for it.
    package var silentWindow: SilentWindow? {
        silence.withLock { silence in
            let window = silence ?? (try? SilentWindow.load(self))
            silence = .some(window)
            return window
        }
    }

    /// What to encode for a window with this many frames of audio.
    package func extent(_ context: AudioContext, frames: Int) -> AudioExtent {
        let extent = context.extent(frames: frames, limit: dimensions.nAudioCtx)
        guard extent.isFollowedBySilence, silentWindow == nil else { return extent }
        return AudioExtent(positions: dimensions.nAudioCtx)
    }

    /// What follows an extent, if anything.
    func silence(after extent: AudioExtent) -> SilentWindow? { extent.isFollowedBySilence ? silentWindow : nil }

    /// Loads a model with a new backend for `options`.
    ///
    /// - Throws: `ModelError`, `ComputeError`.
    package static func load(_ file: any WhisperFile, options: ComputeOptions) throws -> WhisperModel {
        try file.load(options) { try WhisperModel(file, backend: $0, packedWeights: $1) }
    }
}
