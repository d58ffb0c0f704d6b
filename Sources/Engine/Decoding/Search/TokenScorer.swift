/// What a search needs of the network: scores of the next token for several rows at once.
///
/// A row is one hypothesis with its own history. The network's decoder conforms; tests script it.
package protocol TokenScorer: AnyObject {
    /// Number of scores in a row.
    var vocabularySize: Int { get }
    /// Most tokens a row may hold (448).
    var contextLength: Int { get }

    /// Says what later calls of `advance` must give; `nil`, and what holds at first, is all scores as they are.
    ///
    /// A scorer may give other values where these needs allow it.
    func expect(_ needs: ScoreNeeds?)

    /// Forgets all rows and feeds one row with `tokens`.
    ///
    /// - Returns: a row of `vocabularySize` logits for each of `positions` (indices into `tokens`).
    func start(_ tokens: [Int], logitsAt positions: [Int]) throws -> [[Float]]

    /// Replaces the rows: new row r continues the old row `sources[r]` with `tokens[r]`.
    ///
    /// A row may be continued by several new rows or by none. `logits` is filled with one row of `vocabularySize`
    /// scores for each new row; its storage is used again where it fits.
    func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) throws
}

extension TokenScorer {
    package func expect(_ needs: ScoreNeeds?) {}
}
