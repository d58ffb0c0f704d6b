import EngineBasics
package import EngineCompute
import EngineModels

/// What the network computes for a window without sound, kept so that a window with little sound costs only as much as
/// what is in it.
///
/// What the encoder computes for silence depends on its place, and hardly on the sound before it. So the encoder computes
/// only the positions with sound, and a few more, and lets them see the keys and values of this window at all others.
/// Nothing is shortened: the layout, the positions and the amount of silence are those that the network was trained with.
package final class SilentWindow: Sendable {
    /// The log-mel value of all its bands and frames. That of digital silence, 8 powers of ten below the loudest value of
    /// the recording, is between −1 and −0.5 for speech; which of these it is makes no difference to the words.
    package static let level: Float = -0.75

    /// The keys and values of each layer of the encoder.
    let encoder: [any PackedHeads]
    /// The cross-attention keys and values of each layer of the decoder.
    let decoder: [CrossAttentionCache]

    /// Where it is.
    package let storage: PackedWeights

    /// Computes the window, which takes as long as any full one, unless it is stored beside the model's packed weights.
    ///
    /// - Parameter memory: the bytes that are available; by default, what the system says.
    /// - Throws: `ComputeError`, also if the window is larger than that.
    package static func load(_ model: WhisperModel, memory: Int? = nil) throws -> SilentWindow {
        let needs = bytes(for: model.dimensions, precision: model.backend.cachePrecision)
        if let memory = memory ?? SystemMemory.available(threads: 0), memory < needs {
            throw ComputeError.outOfMemory(bytes: needs)
        }
        let arena = WeightArena()
        let cache = PackedWeightCache(beside: model.packedWeights, for: "window of \(level)", in: arena)
        guard let cache else { return try SilentWindow(model, in: arena, .own) }
        return try cache.load { try SilentWindow(model, in: arena, $0) }
    }

    /// Its size: keys and values of all layers.
    package static func bytes(for d: ModelDimensions, precision: CachePrecision) -> Int {
        2 * d.nAudioCtx * (d.nAudioLayer * d.nAudioState + d.nTextLayer * d.nTextState) * precision.bytes
    }

    private init(_ model: WhisperModel, in arena: WeightArena, _ storage: PackedWeights) throws {
        let d = model.dimensions
        self.storage = storage
        encoder = try (0..<d.nAudioLayer).map { _ in
            try model.backend.heads(
                positions: d.nAudioCtx, heads: d.nAudioHead, size: d.nAudioState / d.nAudioHead, in: arena)
        }
        var decoder = try TextDecoder.crossCaches(of: model, in: arena)
        if !arena.isFilled {
            let frames = [Float](repeating: Self.level, count: 2 * d.nAudioCtx * d.nMels)
            model.fill(&decoder, from: try AudioEncoder(model).encode(frames, storing: encoder), then: nil)
        }
        self.decoder = decoder
    }
}

extension WhisperModel {
    /// Fills cross-attention caches, one per layer, with the encoder's output for a window.
    ///
    /// - Parameters:
    ///   - start: the position of the first row of `audio`; the caches have those before.
    ///   - silence: what follows it, if anything.
    func fill(
        _ caches: inout [CrossAttentionCache], from audio: TensorView, at start: Int = 0, then silence: SilentWindow?
    ) {
        let n = dimensions.nTextState, end = start + audio.rows
        // The encoder's attention has used memory of the same size before.
        backend.withScratch(audio.rows * 2 * n) { scratch in
            let projected = scratch.rows(audio.rows, columns: 2 * n)
            for (layer, block) in decoderBlocks.enumerated() {
                caches[layer].resize(
                    positions: silence == nil ? end : dimensions.nAudioCtx, keepsEnd: silence != nil)
                block.crossKeyValue.apply(audio, into: projected)
                backend.fill(
                    caches[layer], keys: projected.slice(columns: 0..<n), values: projected.slice(columns: n..<(2 * n)),
                    from: start)
                if let silence { caches[layer].end(with: silence.decoder[layer], from: end) }
            }
        }
    }
}
