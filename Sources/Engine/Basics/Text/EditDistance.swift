/// The smallest number of insertions, deletions and substitutions that turns one sequence into another (Levenshtein).
package struct EditDistance<Element: Equatable> {
    private let width: Int
    /// The distances between all prefixes of both sequences, one row per prefix of the first.
    private var costs: [Int32]

    /// - Parameter countsSwaps: whether exchanging two neighbors is one edit too (optimal string alignment).
    package init(_ a: [Element], _ b: [Element], countsSwaps: Bool = false) {
        width = b.count + 1
        costs = [Int32](repeating: 0, count: (a.count + 1) * width)
        for j in 0..<width { costs[j] = Int32(j) }
        for i in a.indices {
            let row = (i + 1) * width
            costs[row] = Int32(i + 1)
            for j in b.indices {
                let replaced = costs[row - width + j] + (a[i] == b[j] ? 0 : 1)
                costs[row + j + 1] = min(replaced, costs[row - width + j + 1] + 1, costs[row + j] + 1)
                if countsSwaps, i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    costs[row + j + 1] = min(costs[row + j + 1], costs[row - 2 * width + j - 1] + 1)
                }
            }
        }
    }

    /// The distance between the whole sequences.
    package var value: Int { Int(costs[costs.count - 1]) }

    /// The distance between the first `i` elements of one sequence and the first `j` of the other.
    package subscript(i: Int, j: Int) -> Int32 { costs[i * width + j] }
}
