/// The decoder with its caches: several rows (hypotheses) over one window.
///
/// A row's history is a list of slots in the self-attention cache, one for each position. Continuing a row in another
/// order, or twice, copies that list and never the keys and values.
package final class TextDecoder {
    package let model: WhisperModel
    /// Most rows at once.
    package let maxRows: Int
    private(set) var cross: [CrossAttentionCache]
    private let crossProjection: Tensor
    /// `[n_text_ctx · maxRows, n]` for each layer; position p of row r is written to slot p · maxRows + r.
    private let selfKeys: [Tensor]
    private let selfValues: [Tensor]
    var histories: [[Int32]] = []
    /// Where chosen heads look, for every token fed, while somebody wants to know.
    package var attention: AttentionRecord?

    private let state: Tensor
    let normed: Tensor
    private let queryKeyValue: Tensor
    let attended: Tensor
    private let query: Tensor
    private let hidden: Tensor
    let scores: Tensor
    /// Histories of the step before, whose storage is used again.
    var lastHistories: [[Int32]] = []
    var slots: [Int32] = []
    var positions: [Int] = []
    var counts: [Int] = []
    /// What the search wants of the logits; `nil` is all of them.
    var needs: ScoreNeeds?

    var width: Int { model.dimensions.nTextState }

    package init(_ model: WhisperModel, maxRows: Int) throws {
        self.model = model
        self.maxRows = max(1, maxRows)
        let d = model.dimensions, n = d.nTextState
        let rows = max(d.nTextCtx, maxRows)
        cross = try (0..<d.nTextLayer).map { _ in
            try CrossAttentionCache(
                heads: d.nTextHead, positions: d.nAudioCtx, headSize: n / d.nTextHead,
                precision: model.backend.cachePrecision)
        }
        crossProjection = try Tensor(count: d.nAudioCtx * 2 * n)
        let slots = d.nTextCtx * self.maxRows
        selfKeys = try (0..<d.nTextLayer).map { _ in try Tensor(count: slots * n, isSparse: true) }
        selfValues = try (0..<d.nTextLayer).map { _ in try Tensor(count: slots * n, isSparse: true) }
        state = try Tensor(count: rows * n)
        normed = try Tensor(count: rows * n)
        queryKeyValue = try Tensor(count: rows * 3 * n)
        attended = try Tensor(count: rows * n)
        query = try Tensor(count: rows * n)
        hidden = try Tensor(count: rows * 4 * n)
        // Of these only as many rows are touched as are scored at once.
        scores = try Tensor(count: max(Self.mostScored, self.maxRows) * d.nVocab, isSparse: true)
    }

    /// Takes a window: computes the cross-attention keys and values of all layers from the encoder's output, which may
    /// have fewer positions than the model's 1500.
    package func attend(to audio: TensorView) {
        fill(&cross, from: audio)
        histories.removeAll(keepingCapacity: true)
    }

    /// - Parameter caches: one for each layer.
    func fill(_ caches: inout [CrossAttentionCache], from audio: TensorView) {
        let n = width, backend = model.backend
        let projected = crossProjection.rows(audio.rows, columns: 2 * n)
        for (layer, block) in model.decoderBlocks.enumerated() {
            caches[layer].hold(positions: audio.rows)
            let cache = caches[layer]
            backend.linear(
                audio, block.crossKeyValue.matrix, bias: block.crossKeyValue.bias, activation: .none,
                accumulate: false, into: projected)
            backend.fill(
                cache, keys: projected.slice(columns: 0..<n), values: projected.slice(columns: n..<(2 * n)))
        }
    }

    /// Rows next to each other that look at one window.
    struct WindowRows {
        let rows: Range<Int>
        /// One for each layer.
        let caches: [CrossAttentionCache]
    }

    /// Runs `tokens` through all blocks; token i stands at `positions[i]`, is cached in `slots[i]` and sees
    /// `histories[i].prefix(counts[i])`, its own slot last. `windows` hold all rows in order. `inspect` sees each
    /// layer's cross-attention queries.
    ///
    /// - Returns: `[tokens, n]` after the final norm.
    func run(
        _ tokens: [Int], positions: [Int], slots: [Int32], histories: [[Int32]], counts: [Int],
        windows: some RandomAccessCollection<WindowRows>, inspect: ((Int, TensorView) -> Void)? = nil
    ) -> TensorView {
        let n = width, rows = tokens.count, backend = model.backend
        for (row, token) in tokens.enumerated() {
            backend.copyRow(token, of: model.tokenEmbedding, to: state, at: row * n)
            state.add(model.textPositions, from: positions[row] * n, count: n, at: row * n)
        }
        let x = state.rows(rows, columns: n), norm = normed.rows(rows, columns: n)
        let out = attended.rows(rows, columns: n), crossQuery = query.rows(rows, columns: n)
        let qkv = queryKeyValue.rows(rows, columns: 3 * n), wide = hidden.rows(rows, columns: 4 * n)
        for (layer, weights) in model.decoderBlocks.enumerated() {
            let block = weights.block
            backend.layerNorm(x, gain: block.attentionNorm.gain, shift: block.attentionNorm.shift, into: norm)
            backend.linear(
                norm, block.queryKeyValue.matrix, bias: block.queryKeyValue.bias, activation: .none,
                accumulate: false, into: qkv)
            for row in 0..<rows {
                let from = row * 3 * n, to = Int(slots[row]) * n
                selfKeys[layer].copy(queryKeyValue, from: from + n, count: n, at: to)
                selfValues[layer].copy(queryKeyValue, from: from + 2 * n, count: n, at: to)
            }
            backend.attention(
                queries: qkv.slice(columns: 0..<n),
                cache: CachedAttention(
                    keys: selfKeys[layer], values: selfValues[layer], histories: histories, counts: counts),
                heads: model.dimensions.nTextHead, into: out)
            backend.linear(
                out, block.attentionOut.matrix, bias: block.attentionOut.bias, activation: .none, accumulate: true,
                into: x)

            backend.layerNorm(x, gain: weights.crossNorm.gain, shift: weights.crossNorm.shift, into: norm)
            backend.linear(
                norm, weights.crossQuery.matrix, bias: weights.crossQuery.bias, activation: .none, accumulate: false,
                into: crossQuery)
            inspect?(layer, crossQuery)
            attention?.note(layer) { head, columns in
                // A library may round a row otherwise where others stand beside it, which a draft must not do.
                let parts = rows > Self.mostScored ? [0..<rows] : (0..<rows).map { $0..<($0 + 1) }
                return parts.flatMap { part in
                    backend.crossScores(
                        queries: crossQuery.slice(rows: part), cross: cross[layer], head: head, columns: columns)
                }
            }
            backend.attention(
                queries: crossQuery, windows: windows.count,
                window: {
                    let window = windows[windows.index(windows.startIndex, offsetBy: $0)]
                    return (window.rows, window.caches[layer])
                }, into: out)
            backend.linear(
                out, weights.crossOut.matrix, bias: weights.crossOut.bias, activation: .none, accumulate: true, into: x)

            backend.layerNorm(x, gain: block.mlpNorm.gain, shift: block.mlpNorm.shift, into: norm)
            backend.linear(
                norm, block.mlpIn.matrix, bias: block.mlpIn.bias, activation: .gelu, accumulate: false, into: wide)
            backend.linear(
                wide, block.mlpOut.matrix, bias: block.mlpOut.bias, activation: .none, accumulate: true, into: x)
        }
        backend.layerNorm(x, gain: model.decoderNorm.gain, shift: model.decoderNorm.shift, into: norm)
        return norm
    }

    /// Feeds one row from its first position on.
    ///
    /// - Parameters:
    ///   - column: which of the rows at once it is; its slots are those of that row.
    ///   - caches: of the window that it looks at.
    func feed(
        _ tokens: [Int], column: Int, caches: [CrossAttentionCache], inspect: ((Int, TensorView) -> Void)? = nil
    ) -> (states: TensorView, slots: [Int32]) {
        precondition(!tokens.isEmpty && tokens.count <= contextLength, "\(tokens.count) tokens for \(contextLength)")
        let slots = tokens.indices.map { Int32($0 * maxRows + column) }
        let states = run(
            tokens, positions: Array(tokens.indices), slots: slots,
            histories: [[Int32]](repeating: slots, count: tokens.count), counts: tokens.indices.map { $0 + 1 },
            windows: [WindowRows(rows: 0..<tokens.count, caches: caches)], inspect: inspect)
        return (states, slots)
    }

    func logits(of rows: TensorView, needs: ScoreNeeds? = nil) -> TensorView {
        let result = scores.rows(rows.rows, columns: vocabularySize)
        model.backend.scores(rows, model.tokenEmbedding, needs: needs, into: result)
        return result
    }
}
