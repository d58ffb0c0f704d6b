package import EngineCompute

/// What a search needs from the network: scores of the next token for several rows at once.
///
/// A row is one hypothesis with its own history. The network's decoder conforms; tests use scripted scorers.
package protocol TokenScorer: AnyObject {
    /// Number of scores per row.
    var vocabularySize: Int { get }
    /// Maximum number of tokens in a row (448).
    var contextLength: Int { get }

    /// Sets which scores later calls of `advance` must return exactly; `nil`, the initial state, is all of them.
    ///
    /// Other scores may then have any value that the needs allow.
    func expect(_ needs: ScoreNeeds?)

    /// Discards all rows and starts a single one with `tokens`.
    ///
    /// - Returns: `vocabularySize` logits for each of `positions` (indices into `tokens`).
    func start(_ tokens: [Int], logitsAt positions: [Int]) throws -> [[Float]]

    /// Replaces the rows: new row r continues the old row `sources[r]` with `tokens[r]`.
    ///
    /// A row may be continued by several new rows or by none. `logits` is filled with `vocabularySize` scores for each
    /// new row, reusing its storage where possible.
    func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) throws

    /// Truncates the only row to its first `count` tokens, from which the next call of `advance` continues it.
    func truncate(to count: Int)
}

extension TokenScorer {
    package func expect(_ needs: ScoreNeeds?) {}
}

extension TextDecoder: TokenScorer {}
