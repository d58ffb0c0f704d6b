package import EngineCompute

/// The text decoder with its caches: several rows (hypotheses) over one window.
///
/// A row's history is a list of slots in the self-attention cache, one per position. Reordering or duplicating rows
/// copies this list, never the keys and values.
package final class TextDecoder {
    package let model: WhisperModel
    /// The maximum number of rows.
    package let maxRows: Int
    private(set) var cross: [CrossAttentionCache]
    /// For each layer `[n_text_ctx · maxRows, n]`; position p of row r is stored in slot p · maxRows + r.
    private let selfKeys: [Tensor]
    private let selfValues: [Tensor]
    var histories: [[Int32]] = []
    /// If set, records the cross-attention scores of selected heads for every token.
    package var attention: AttentionRecord?

    private let state: Tensor
    let normed: Tensor
    private let queryKeyValue: Tensor
    let attended: Tensor
    private let query: Tensor
    private let hidden: Tensor
    let scores: Tensor
    /// The histories of the previous step, whose storage is reused.
    var lastHistories: [[Int32]] = []
    var slots: [Int32] = []
    var positions: [Int] = []
    var counts: [Int] = []
    /// The logits that the search needs; `nil` means all.
    var needs: ScoreNeeds?

    var width: Int { model.dimensions.nTextState }

    package init(_ model: WhisperModel, maxRows: Int) throws {
        self.model = model
        self.maxRows = max(1, maxRows)
        let d = model.dimensions, n = d.nTextState
        let rows = max(d.nTextCtx, maxRows)
        cross = try Self.crossCaches(of: model)
        let slots = d.nTextCtx * self.maxRows
        selfKeys = try (0..<d.nTextLayer).map { _ in try Tensor(count: slots * n, isSparse: true) }
        selfValues = try (0..<d.nTextLayer).map { _ in try Tensor(count: slots * n, isSparse: true) }
        state = try Tensor(count: rows * n)
        normed = try Tensor(count: rows * n)
        queryKeyValue = try Tensor(count: rows * 3 * n)
        attended = try Tensor(count: rows * n)
        query = try Tensor(count: rows * n)
        hidden = try Tensor(count: rows * 4 * n)
        // Only as many rows of this are touched as are scored at once.
        scores = try Tensor(count: max(Self.maxScoredTokens, self.maxRows) * d.nVocab, isSparse: true)
    }

    /// Room for the cross-attention keys and values of one window, one per layer.
    static func crossCaches(of model: WhisperModel, in arena: WeightArena? = nil) throws -> [CrossAttentionCache] {
        let d = model.dimensions
        return try (0..<d.nTextLayer).map { _ in
            try CrossAttentionCache(
                heads: d.nTextHead, positions: d.nAudioCtx, headSize: d.nTextState / d.nTextHead,
                precision: model.backend.cachePrecision, in: arena)
        }
    }

    /// Sets the audio of the window: computes the cross-attention keys and values of all layers.
    ///
    /// - Parameters:
    ///   - audio: the encoder's output, `[positions, n]`; it may have fewer positions than the model's 1500.
    ///   - start: the position of its first row; those before are the same as in the last window.
    ///   - silence: what follows it, if anything.
    package func attend(to audio: TensorView, at start: Int = 0, then silence: SilentWindow? = nil) {
        model.fill(&cross, from: audio, at: start, then: silence)
        histories.removeAll(keepingCapacity: true)
    }

    /// Adjacent rows that attend to the same window.
    struct WindowRows {
        let rows: Range<Int>
        /// One per layer.
        let caches: [CrossAttentionCache]
    }

    /// Runs `tokens` through all blocks.
    ///
    /// - Parameters:
    ///   - positions: the text position of each token.
    ///   - slots: the cache slot that stores each token's key and value.
    ///   - histories: for each token the slots it may attend to; it sees the first `counts[i]`, its own slot last.
    ///   - windows: all rows in order, grouped by the window they attend to.
    ///   - inspect: called with each layer's cross-attention queries, `[tokens, n]`.
    /// - Returns: `[tokens, n]` after the final norm.
    func run(
        _ tokens: [Int], positions: [Int], slots: [Int32], histories: [[Int32]], counts: [Int],
        windows: some RandomAccessCollection<WindowRows>, inspect: ((Int, TensorView) -> Void)? = nil
    ) -> TensorView {
        let n = width, rows = tokens.count, backend = model.backend
        for (row, token) in tokens.enumerated() {
            model.tokenEmbedding.copyRow(token, to: state, at: row * n)
            state.add(model.textPositions, from: positions[row] * n, count: n, at: row * n)
        }
        let x = state.rows(rows, columns: n), norm = normed.rows(rows, columns: n)
        let out = attended.rows(rows, columns: n), crossQuery = query.rows(rows, columns: n)
        let qkv = queryKeyValue.rows(rows, columns: 3 * n), wide = hidden.rows(rows, columns: 4 * n)
        for (layer, weights) in model.decoderBlocks.enumerated() {
            let block = weights.block
            block.attentionNorm.apply(x, into: norm, on: backend)
            block.queryKeyValue.apply(norm, into: qkv)
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
            block.attentionOut.apply(out, accumulate: true, into: x)

            weights.crossNorm.apply(x, into: norm, on: backend)
            weights.crossQuery.apply(norm, into: crossQuery)
            inspect?(layer, crossQuery)
            attention?.record(layer) { head, columns in
                // A library may round a row differently in a larger product; a draft must give the same scores as
                // single steps, so its rows are multiplied one by one.
                let parts = rows > Self.maxScoredTokens ? [0..<rows] : (0..<rows).map { $0..<($0 + 1) }
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
            weights.crossOut.apply(out, accumulate: true, into: x)

            block.mlpNorm.apply(x, into: norm, on: backend)
            block.mlpIn.apply(norm, activation: .gelu, into: wide)
            block.mlpOut.apply(wide, accumulate: true, into: x)
        }
        model.decoderNorm.apply(x, into: norm, on: backend)
        return norm
    }

    /// Feeds the tokens of one row, starting at position 0.
    ///
    /// - Parameters:
    ///   - column: the row, which determines the cache slots.
    ///   - caches: those of the row's window, one per layer.
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

    /// Projects decoder states `[rows, n]` to logits `[rows, n_vocab]`, valid until the next call.
    func logits(of rows: TensorView, needs: ScoreNeeds? = nil) -> TensorView {
        let result = scores.rows(rows.rows, columns: vocabularySize)
        model.tokenEmbedding.scores(rows, bias: nil, needs: needs, into: result)
        return result
    }

    /// Copies of the logits of some of the states that `feed` has returned.
    func logits(of states: TensorView, at positions: [Int]) -> [[Float]] {
        guard positions.count > 1, positions.count <= Self.maxScoredTokens else {
            return positions.map { logits(of: states.slice(rows: $0..<($0 + 1))).values }
        }
        // Together they read the token table, by far the largest matrix, only once.
        for (row, position) in positions.enumerated() {
            attended.copy(normed, from: position * width, count: width, at: row * width)
        }
        let rows = logits(of: attended.rows(positions.count, columns: width))
        return positions.indices.map { rows.slice(rows: $0..<($0 + 1)).values }
    }

    /// Copies rows of the last logits; storage of the right size is reused.
    func copyLogits(_ rows: Range<Int>, into logits: inout [[Float]]) {
        if logits.count != rows.count { logits = [[Float]](repeating: [], count: rows.count) }
        for (index, row) in rows.enumerated() {
            scores.copy((row * vocabularySize)..<((row + 1) * vocabularySize), into: &logits[index])
        }
    }
}
