package import EngineCompute

/// The audio encoder with its activations; encodes one window at a time.
package final class AudioEncoder {
    private let model: WhisperModel
    private let cache: EncodingCache?
    /// `[1 + frames + 1, n_mels]`, with the zero padding of the convolution before and after the frames.
    private let mel: Tensor
    private let state: Tensor
    /// The output of the convolutions for the last window, `[positions, n]`, if windows overlap.
    private let convolved: Tensor?
    /// The number of valid rows of `convolved`.
    private var convolvedPositions = 0
    /// The keys and values of each layer for the last window, `[positions, 2n]`, if windows grow and silence followed it.
    private let kept: [Tensor]
    /// The number of valid rows of `kept`.
    private var keptPositions = 0
    private let normed: Tensor
    /// `[positions, 4n]`, reused for convolution, attention and MLP in turn, because touching new pages is expensive: the
    /// output of the first convolution with a row of zero padding, `[1 + frames, n]`; then, in each block, queries, keys and
    /// values, `[positions, 3n]`, followed by what they attended to, `[positions, n]`; then the MLP's hidden layer.
    private let hidden: Tensor

    /// The maximum number of output positions, half the frames of a full window (1500).
    package let positions: Int
    private var width: Int { model.dimensions.nAudioState }

    /// - Parameters:
    ///   - windowsGrow: whether windows start like the last one, as in live recognition, so that some of its work is kept.
    package init(_ model: WhisperModel, windowsGrow: Bool = false) throws {
        self.model = model
        cache = model.cache
        let n = model.dimensions.nAudioState
        positions = model.dimensions.nAudioCtx
        mel = try Tensor(count: (2 * positions + 2) * model.dimensions.nMels)
        state = try Tensor(count: positions * n)
        // Otherwise the output would depend on the windows before.
        convolved = windowsGrow && model.backend.hasIndependentRows ? try Tensor(count: positions * n) : nil
        let keptNumbers = 2 * positions * n
        kept = try (0..<(windowsGrow ? model.dimensions.nAudioLayer : 0)).map { _ in
            try Tensor(count: keptNumbers, isSparse: true)
        }
        normed = try Tensor(count: positions * n)
        hidden = try Tensor(count: positions * 4 * n)
    }

    /// Encodes a window.
    ///
    /// - Parameters:
    ///   - logMel: the scaled log-mel spectrogram, `[frames, n_mels]`; padded to twice the positions, with silence if
    ///     it follows, otherwise with zeros.
    ///   - count: the number of output positions; fewer than the model was trained with encode a shorter spectrogram.
    ///     `nil` means all.
    ///   - start: the first position to compute, if windows grow: those before are taken from the last window, which had
    ///     the same sound there.
    ///   - silence: what follows these positions up to a full window, if anything; their number must then be a multiple
    ///     of `AudioContext.step`.
    /// - Returns: `[positions − start, n]`, valid until the next call.
    package func encode(
        _ logMel: [Float], positions count: Int? = nil, from start: Int = 0, then silence: SilentWindow? = nil
    ) -> TensorView {
        let out = output(of: logMel, positions: count, from: start)
        if let cache, kept.isEmpty {
            cache.output(of: logMel, in: out, isFollowed: silence != nil) { compute(logMel, then: silence, into: out) }
        } else {
            compute(logMel, from: start, then: silence, into: out)
        }
        return out
    }

    /// Encodes a full window and keeps the keys and values of each layer.
    func encode(_ logMel: [Float], storing kept: [any PackedHeads]) -> TensorView {
        let out = output(of: logMel, positions: nil, from: 0)
        compute(logMel, then: nil, storing: kept, into: out)
        return out
    }

    private func output(of logMel: [Float], positions count: Int?, from start: Int) -> TensorView {
        let positions = count ?? self.positions, frames = 2 * positions, bands = model.dimensions.nMels
        precondition(positions > 0 && positions <= self.positions, "\(positions) positions of \(self.positions)")
        precondition(logMel.count <= frames * bands, "\(logMel.count / bands) frames for a window of \(frames)")
        precondition(start >= 0 && start < positions && start <= keptPositions, "from \(start) to \(positions)")
        return normed.rows(positions - start, columns: width)
    }

    private func compute(
        _ logMel: [Float], from start: Int = 0, then silence: SilentWindow?, storing stored: [any PackedHeads]? = nil,
        into out: TensorView
    ) {
        let n = width, positions = start + out.rows, backend = model.backend
        convolve(logMel, padding: silence == nil ? 0 : SilentWindow.level, into: state.rows(positions, columns: n))
        let x = state.rows(out.rows, columns: n, from: start * n)
        backend.add(model.audioPositions.rows(out.rows, columns: n, from: start * n), to: x)
        let keeps = silence != nil && !kept.isEmpty
        for (layer, block) in model.encoderBlocks.enumerated() {
            apply(
                block, to: x, in: keeps ? kept[layer].rows(positions, columns: 2 * n) : nil,
                then: silence?.encoder[layer], storing: stored?[layer])
        }
        keptPositions = keeps ? positions : 0
        model.encoderNorm.apply(x, into: out, on: backend)
    }

    /// Computes the two convolutions, except where their output is known: it is the same at every position that lies in
    /// padding, and where the window is the same as the last one.
    private func convolve(_ logMel: [Float], padding: Float, into x: TensorView) {
        let bands = model.dimensions.nMels, n = width
        let positions = x.rows, frames = 2 * positions
        let known = knownPositions(logMel, of: positions)
        mel.write(logMel, at: bands)
        mel.fill((bands + logMel.count)..<((frames + 2) * bands), with: padding)
        hidden.fill(0..<n, with: 0)
        // Position p depends on the frames 2p − 2 … 2p + 2. The last one computed is the first without audio, if any.
        let end = min(positions, (logMel.count / bands + 3) / 2 + 1)
        // Input row t consists of the adjacent frames t − 1, t and t + 1; the second convolution has a stride of 2.
        let start = max(0, 2 * known - 1), rows = 2 * end - start
        model.convolution1.apply(
            TensorView(mel, offset: start * bands, rows: rows, columns: 3 * bands, stride: bands), activation: .gelu,
            into: hidden.rows(rows, columns: n, from: (start + 1) * n))
        model.convolution2.apply(
            TensorView(hidden, offset: 2 * known * n, rows: end - known, columns: 3 * n, stride: 2 * n),
            activation: .gelu, into: x.slice(rows: known..<end))
        for row in end..<positions { state.copy(state, from: (end - 1) * n, count: n, at: row * n) }
        guard let convolved else { return }
        state.copy(convolved, count: known * n, at: 0)
        convolved.copy(state, from: known * n, count: (positions - known) * n, at: known * n)
        convolvedPositions = positions
    }

    /// Returns at how many of the first positions the convolutions have the same output as for the last window.
    private func knownPositions(_ logMel: [Float], of positions: Int) -> Int {
        let bands = model.dimensions.nMels
        let limit = min(logMel.count, 2 * min(positions, convolvedPositions) * bands)
        return max(0, (mel.commonPrefix(with: logMel, at: bands, limit: limit) / bands - 1) / 2)
    }

    /// - Parameters:
    ///   - window: keys and values of all positions computed so far, `[positions, 2n]`; the last ones are those of x,
    ///     which this stores.
    ///   - rest: those of the positions that follow.
    private func apply(
        _ block: EncoderBlockWeights, to x: TensorView, in window: TensorView?, then rest: (any PackedHeads)?,
        storing stored: (any PackedHeads)?
    ) {
        let n = width, positions = x.rows, backend = model.backend
        let norm = normed.rows(positions, columns: n), wide = hidden.rows(positions, columns: 4 * n)
        let qkv = hidden.rows(positions, columns: 3 * n)
        let out = hidden.rows(positions, columns: n, from: 3 * n * positions)
        block.attentionNorm.apply(x, into: norm, on: backend)
        block.queryKeyValue.apply(norm, into: qkv)
        var seen = qkv.slice(columns: n..<(3 * n))
        if let window {
            seen.copy(into: window.slice(rows: (window.rows - positions)..<window.rows))
            seen = window
        }
        let keys = seen.slice(columns: 0..<n), values = seen.slice(columns: n..<(2 * n))
        if let stored { backend.store(keys: keys, values: values, in: stored) }
        backend.attention(
            queries: qkv.slice(columns: 0..<n), keys: keys, values: values, heads: model.dimensions.nAudioHead,
            then: rest, into: out)
        block.attentionOut.apply(out, accumulate: true, into: x)
        block.mlpNorm.apply(x, into: norm, on: backend)
        block.mlpIn.apply(norm, activation: .gelu, into: wide)
        block.mlpOut.apply(wide, accumulate: true, into: x)
    }
}
