package import EngineCompute

/// Batched decoding of several windows, each at its own position.
///
/// Each window has a fixed set of rows, whose contents do not change during steps of other windows.
package final class WindowBatch {
    /// One decoding step of a window.
    package struct Continuation {
        package let window: Int
        let tokens: [Int]
        /// For each token, the row of the window that it continues.
        let sources: [Int]
    }

    let windows: Int
    let rowsPerWindow: Int
    let decoder: TextDecoder
    /// Indexed by window, then by layer.
    private var caches: [[CrossAttentionCache]]
    /// Cache slots, indexed by window, row and position.
    private var histories: [[[Int32]]]
    /// Which logits each window's search needs.
    private var needs: [ScoreNeeds?]

    package init(_ model: WhisperModel, windows: Int, rowsPerWindow: Int) throws {
        self.windows = max(1, windows)
        self.rowsPerWindow = max(1, rowsPerWindow)
        let decoder = try TextDecoder(model, maxRows: self.windows * self.rowsPerWindow)
        self.decoder = decoder
        caches = try [decoder.cross] + (1..<self.windows).map { _ in try TextDecoder.crossCaches(of: model) }
        histories = [[[Int32]]](repeating: [], count: self.windows)
        needs = [ScoreNeeds?](repeating: nil, count: self.windows)
    }

    /// `TokenScorer.expect` for one window.
    package func expect(_ needs: ScoreNeeds?, of window: Int) { self.needs[window] = needs }

    /// Sets the audio of a window.
    ///
    /// - Parameters:
    ///   - audio: the encoder's output, `[positions, n]`.
    ///   - silence: what follows it, if anything.
    package func attend(_ window: Int, to audio: TensorView, then silence: SilentWindow? = nil) {
        decoder.model.fill(&caches[window], from: audio, then: silence)
        histories[window] = []
    }

    /// `TokenScorer.start` for one window.
    package func start(_ window: Int, _ tokens: [Int], logitsAt positions: [Int]) -> [[Float]] {
        let (states, slots) = decoder.feed(tokens, column: column(of: window), caches: caches[window])
        histories[window] = [slots]
        return decoder.logits(of: states, at: positions)
    }

    /// `TokenScorer.advance` for several windows in one pass of the network.
    ///
    /// - Parameter logits: one element per continuation, each filled with one row per token; storage of the right size
    ///   is reused.
    package func advance(_ continuations: [Continuation], into logits: inout [[[Float]]]) {
        precondition(logits.count == continuations.count, "\(logits.count) results of \(continuations.count)")
        if continuations.isEmpty { return }
        var (positions, slots, counts): ([Int], [Int32], [Int]) = ([], [], [])
        var rowHistories: [[Int32]] = []
        var rows: [TextDecoder.WindowRows] = []
        for one in continuations {
            let old = histories[one.window]
            guard let position = old.first?.count else { preconditionFailure("no row to continue") }
            precondition(
                one.tokens.count == one.sources.count && one.tokens.count <= rowsPerWindow,
                "\(one.tokens.count) rows of \(rowsPerWindow)")
            precondition(position < decoder.contextLength, "position \(position) of \(decoder.contextLength)")
            let own = one.tokens.indices.map { Int32(position * decoder.maxRows + column(of: one.window) + $0) }
            histories[one.window] = zip(one.sources, own).map { old[$0] + [$1] }
            rows.append(
                TextDecoder.WindowRows(
                    rows: slots.count..<(slots.count + own.count), caches: caches[one.window]))
            positions += [Int](repeating: position, count: own.count)
            counts += [Int](repeating: position + 1, count: own.count)
            slots += own
            rowHistories += histories[one.window]
        }
        let states = decoder.run(
            continuations.flatMap(\.tokens), positions: positions, slots: slots, histories: rowHistories,
            counts: counts, windows: rows)
        // Logits can be skipped only if all windows skip the same ones.
        let common = needs[continuations[0].window]
        let isCommon = continuations.allSatisfy { needs[$0.window] == common }
        _ = decoder.logits(of: states, needs: isCommon ? common : nil)
        for (index, window) in rows.enumerated() { decoder.copyLogits(window.rows, into: &logits[index]) }
    }

    /// `TokenScorer.truncate` for one window.
    package func truncate(_ window: Int, to count: Int) {
        precondition(histories[window].count == 1, "\(histories[window].count) rows to truncate, expected one")
        histories[window][0].removeLast(max(0, histories[window][0].count - count))
    }

    /// `TextDecoder.align` for one window.
    package func align(
        _ window: Int, _ tokens: [Int], heads: [AlignmentHead], columns: Int, rows: Range<Int>,
        eachRow: (_ position: Int, _ logits: [Float]) -> Void
    ) -> [[Float]] {
        histories[window] = []
        return decoder.align(
            tokens, column: column(of: window), caches: caches[window], heads: heads, columns: columns, rows: rows,
            eachRow: eachRow)
    }

    /// The first decoder row of a window.
    private func column(of window: Int) -> Int { window * rowsPerWindow }
}
