/// A way to find a likely sequence of tokens step by step.
///
/// A row is a hypothesis that still grows; before the first step there is one, without tokens. Each step the caller
/// filters the rows' logits and hands them to `extend`, which replaces the rows.
package protocol TokenSearch {
    /// Tokens produced so far in each row.
    var rows: [[Int]] { get }
    /// For each row, which of the rows before the last `extend` it continues.
    var sources: [Int] { get }
    /// The hypothesis that would win now; may change completely with the next step.
    var best: [Int] { get }

    /// How many of a row's greatest logits it looks at.
    var width: Int { get }

    /// Makes one step.
    ///
    /// - Parameters:
    ///   - logits: filtered logits of each row.
    ///   - probabilities: of each row, with the `width` greatest.
    /// - Returns: whether the search goes on.
    mutating func extend(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> Bool

    /// The candidates to choose among, those not ended included where the search takes them; never empty.
    func candidates() -> [Hypothesis]
}

extension TokenSearch {
    /// Makes one step by logits that nobody has looked at yet.
    package mutating func extend(by logits: [[Float]]) -> Bool {
        let width = width
        return extend(by: logits, logits.map { LogProbabilities($0, greatest: width) })
    }
}
