/// What chosen cross-attention heads score for every token fed to a decoder, in the order of feeding.
package struct AttentionRecord: Sendable {
    package let heads: [AlignmentHead]
    /// Audio positions of a row.
    package let columns: Int
    /// For each head `[tokens fed, columns]`, before softmax.
    package private(set) var scores: [[Float]]

    package init(heads: [AlignmentHead], columns: Int) {
        self.heads = heads
        self.columns = columns
        scores = [[Float]](repeating: [], count: heads.count)
    }

    /// Tokens fed.
    package var rows: Int { columns > 0 ? (scores.first?.count ?? 0) / columns : 0 }

    mutating func note(_ layer: Int, score: (_ head: Int, _ columns: Int) -> [Float]) {
        for index in heads.indices where heads[index].layer == layer {
            scores[index] += score(heads[index].head, columns)
        }
    }

    /// Forgets what was fed behind the first `count` tokens.
    mutating func truncate(to count: Int) {
        for index in scores.indices { scores[index].removeLast(max(0, scores[index].count - count * columns)) }
    }
}
