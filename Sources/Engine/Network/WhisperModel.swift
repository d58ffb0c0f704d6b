/// A network with its weights: immutable, shared by any number of encoders and decoders.
public final class WhisperModel: Sendable {
    public let dimensions: ModelDimensions
    package let vocabulary: Vocabulary
    /// As the file holds them, or `nil`.
    package let alignmentHeads: [AlignmentHead]?
    package let backend: any ComputeBackend
    /// What is odd about the weights though they can be used.
    public let warnings: [ModelWarning]

    let convolution1: LinearWeights
    let convolution2: LinearWeights
    /// `[n_audio_ctx, n]`
    let audioPositions: Tensor
    let encoderBlocks: [EncoderBlockWeights]
    let encoderNorm: NormWeights

    /// `[n_vocab, n]`: a token's row on the way in, the output projection on the way out.
    let tokenEmbedding: any PackedMatrix
    /// `[n_text_ctx, n]`
    let textPositions: Tensor
    let decoderBlocks: [DecoderBlockWeights]
    let decoderNorm: NormWeights

    /// The same with the backend that `options` ask for, which is made only when the model fits: OpenBLAS waits for
    /// ever where it is refused its buffers.
    package convenience init(_ file: any WeightFile, options: ComputeOptions) throws {
        try MemoryNeeds.check(file, decoding: options.decoding, threads: options.threadCount)
        try self.init(file, backend: try options.makeBackend())
    }

    /// Unpacks all weights to float32; the file is not needed afterwards.
    ///
    /// - Parameter memory: bytes that may be taken instead of what the system says.
    /// - Throws: `ModelError`, `ComputeError`.
    package init(
        _ file: any WeightFile, backend: any ComputeBackend, memory: Int? = nil
    ) throws {
        let d = file.dimensions
        try MemoryNeeds.check(file, threads: backend.threads, memory: memory)
        dimensions = d
        vocabulary = file.vocabulary
        alignmentHeads = file.alignmentHeads
        self.backend = backend
        let loader = WeightLoader(file: file, backend: backend)
        convolution1 = try loader.convolution("encoder.conv1", outputs: d.nAudioState, inputs: d.nMels)
        convolution2 = try loader.convolution("encoder.conv2", outputs: d.nAudioState, inputs: d.nAudioState)
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
        warnings = try loader.hasZeroEncoder() ? [.zeroEncoder(path: file.path)] : []
        try file.checkUnchanged()
    }
}

/// Memory that a network takes, known from its dimensions alone.
package enum MemoryNeeds {
    /// Bytes of the weights as float32, of one encoder and of one decoder with the caches of its windows; the greatest
    /// weight counts twice, as it is unpacked before it is put in its place.
    package static func bytes(for dimensions: ModelDimensions, decoding: DecodingRoom = DecodingRoom()) -> Int {
        let sizes = TensorShapes.all(dimensions).map { $0.shape.reduce(1, *) }
        let floats =
            sizes.reduce(0, +) + (sizes.max() ?? 0) + encoder(dimensions) + decoder(dimensions, decoding)
        return floats * MemoryLayout<Float>.stride
    }

    /// Whether a model fits into the memory that this process may take, told before any weight is read: Swift cannot
    /// go on when memory runs out.
    ///
    /// - Parameter memory: bytes that may be taken instead of what the system says.
    package static func check(
        _ file: any WeightFile, decoding: DecodingRoom = DecodingRoom(), threads: Int, memory: Int? = nil
    ) throws(ModelError) {
        let needs = bytes(for: file.dimensions, decoding: decoding)
        if let memory = memory ?? SystemMemory.available(threads: threads), memory < needs {
            throw .notEnoughMemory(path: file.path, needs: needs, available: memory)
        }
    }

    /// Floats of `AudioEncoder`.
    private static func encoder(_ d: ModelDimensions) -> Int {
        (2 * d.nAudioCtx + 2) * d.nMels + (2 * d.nAudioCtx + 1) * d.nAudioState + 10 * d.nAudioCtx * d.nAudioState
    }

    /// Floats of `TextDecoder`: keys and values of the windows and of the text, and one value of each kind.
    private static func decoder(_ d: ModelDimensions, _ decoding: DecodingRoom) -> Int {
        let rows = decoding.windows * decoding.rowsPerWindow, states = max(d.nTextCtx, rows)
        let windows = 2 * (decoding.windows * d.nTextLayer + 1) * d.nAudioCtx * d.nTextState
        let text = 2 * d.nTextLayer * d.nTextCtx * rows * d.nTextState
        return windows + text + 11 * states * d.nTextState + 2 * rows * d.nVocab
    }
}
