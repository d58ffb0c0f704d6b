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

    /// Makes one step.
    ///
    /// - Parameter logits: filtered logits of each row.
    /// - Returns: whether the search goes on.
    mutating func extend(by logits: [[Float]]) -> Bool

    /// The candidates to choose among, those not ended included where the search takes them; never empty.
    func candidates() -> [Hypothesis]
}
