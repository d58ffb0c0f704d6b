package import EngineCompute

/// Step-by-step decoding; see `TokenScorer`.
extension TextDecoder {
    package var vocabularySize: Int { model.dimensions.nVocab }
    package var contextLength: Int { model.dimensions.nTextCtx }

    package func expect(_ needs: ScoreNeeds?) { self.needs = needs }

    package func start(_ tokens: [Int], logitsAt positions: [Int]) throws -> [[Float]] {
        let (states, slots) = feed(tokens, column: 0, caches: cross)
        histories = [slots]
        return logits(of: states, at: positions)
    }

    package func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) throws {
        precondition(tokens.count == sources.count && tokens.count <= maxRows, "\(tokens.count) rows of \(maxRows)")
        guard let position = histories.first?.count else { preconditionFailure("no row to continue") }
        precondition(position < contextLength, "position \(position) of \(contextLength)")
        grow(sources, position: position)
        let states = run(
            tokens, positions: positions, slots: slots, histories: histories, counts: counts,
            windows: CollectionOfOne(WindowRows(rows: tokens.indices, caches: cross)))
        _ = self.logits(of: states, needs: needs)
        copyLogits(tokens.indices, into: &logits)
    }

    /// Replaces the rows' histories by those of `sources`, each extended by one slot. Reuses the storage of earlier
    /// steps.
    private func grow(_ sources: [Int], position: Int) {
        swap(&histories, &lastHistories)
        while histories.count > sources.count { histories.removeLast() }
        while histories.count < sources.count { histories.append([]) }
        slots.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        for (row, source) in sources.enumerated() {
            let slot = Int32(position * maxRows + row)
            histories[row].removeAll(keepingCapacity: true)
            histories[row].reserveCapacity(contextLength)
            histories[row].append(contentsOf: lastHistories[source])
            histories[row].append(slot)
            slots.append(slot)
            positions.append(position)
            counts.append(position + 1)
        }
    }
}

extension TextDecoder {
    /// The maximum number of tokens for `score`: up to this many rows the kernels read each weight once, and each row's
    /// result does not depend on the others.
    package static let maxScoredTokens = 8

    /// Extends the only row by several tokens in one pass, with the same results as calling `advance` for each.
    ///
    /// - Parameters:
    ///   - tokens: 1…`maxScoredTokens` tokens that fit in the context.
    ///   - logits: filled with one row per token, the logits of the next token; storage of the right size is reused.
    package func score(_ tokens: [Int], into logits: inout [[Float]]) throws {
        guard histories.count == 1, let first = histories.first?.count else {
            preconditionFailure("\(histories.count) rows to extend, expected one")
        }
        precondition(
            (1...Self.maxScoredTokens).contains(tokens.count) && first + tokens.count <= contextLength,
            "\(tokens.count) tokens from position \(first) of \(contextLength) on")
        let slots = tokens.indices.map { Int32((first + $0) * maxRows) }
        histories[0] += slots
        let states = run(
            tokens, positions: tokens.indices.map { first + $0 }, slots: slots,
            histories: [[Int32]](repeating: histories[0], count: tokens.count),
            counts: tokens.indices.map { first + $0 + 1 },
            windows: CollectionOfOne(WindowRows(rows: tokens.indices, caches: cross)))
        _ = self.logits(of: states, needs: needs)
        copyLogits(tokens.indices, into: &logits)
    }

    /// Truncates the only row, and its recorded attention, to its first `count` tokens.
    package func truncate(to count: Int) {
        precondition(histories.count == 1, "\(histories.count) rows to truncate, expected one")
        histories[0].removeLast(max(0, histories[0].count - count))
        attention?.truncate(to: count)
    }
}

extension TextDecoder {
    /// Feeds all `tokens` in one pass, for word timestamps.
    ///
    /// - Parameters:
    ///   - heads: the heads whose cross-attention scores are returned.
    ///   - columns: the number of audio positions to score.
    ///   - rows: the positions whose logits are passed to `eachRow`, in order.
    /// - Returns: for each head its scores before softmax, `[tokens, columns]`.
    package func align(
        _ tokens: [Int], heads: [AlignmentHead], columns: Int, rows: Range<Int>,
        eachRow: (_ position: Int, _ logits: [Float]) -> Void
    ) throws -> [[Float]] {
        histories = []
        return align(
            tokens, column: 0, caches: cross, heads: heads, columns: columns, rows: rows, eachRow: eachRow)
    }

    func align(
        _ tokens: [Int], column: Int, caches: [CrossAttentionCache], heads: [AlignmentHead], columns: Int,
        rows: Range<Int>, eachRow: (_ position: Int, _ logits: [Float]) -> Void
    ) -> [[Float]] {
        var kept = [[Float]](repeating: [], count: heads.count)
        let (states, _) = feed(tokens, column: column, caches: caches) { layer, queries in
            for (index, head) in heads.enumerated() where head.layer == layer {
                kept[index] = self.model.backend.crossScores(
                    queries: queries, cross: caches[layer], head: head.head, columns: columns)
            }
        }
        var row: [Float] = []
        // Several rows at a time, because each pass reads the token table, by far the largest matrix.
        for first in stride(from: rows.lowerBound, to: rows.upperBound, by: maxRows) {
            let group = first..<min(first + maxRows, rows.upperBound)
            _ = logits(of: states.slice(rows: group))
            for position in group {
                let at = (position - first) * vocabularySize
                scores.copy(at..<(at + vocabularySize), into: &row)
                eachRow(position, row)
            }
        }
        return kept
    }
}

/// The cross-attention scores of selected heads for every token fed to a decoder, in order.
package struct AttentionRecord: Sendable {
    package let heads: [AlignmentHead]
    /// The number of audio positions per row.
    package let columns: Int
    /// For each head the scores before softmax, `[tokens, columns]`.
    package private(set) var scores: [[Float]]

    package init(heads: [AlignmentHead], columns: Int) {
        self.heads = heads
        self.columns = columns
        scores = [[Float]](repeating: [], count: heads.count)
    }

    /// The number of tokens recorded.
    package var rows: Int { columns > 0 ? (scores.first?.count ?? 0) / columns : 0 }

    /// Appends the scores of the selected heads in `layer`.
    mutating func record(_ layer: Int, score: (_ head: Int, _ columns: Int) -> [Float]) {
        for index in heads.indices where heads[index].layer == layer {
            scores[index] += score(heads[index].head, columns)
        }
    }

    /// Drops all but the first `count` tokens.
    package mutating func truncate(to count: Int) {
        for index in scores.indices { scores[index].removeLast(max(0, scores[index].count - count * columns)) }
    }
}
