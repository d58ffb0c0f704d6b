/// What is wanted of a table's product with a few rows, so that work on the rest may be saved.
package struct ScoreNeeds: Sendable, Hashable {
    /// How many of the greatest values must be those of the full product, values of `never` and from `exactFrom` on
    /// not counted.
    package var best: Int
    /// Columns that are wanted in no case; they may become -infinity.
    package var never: [Int]
    /// From this column on all values must be those of the full product.
    package var exactFrom: Int

    package init(best: Int, never: [Int], exactFrom: Int) {
        self.best = best
        self.never = never
        self.exactFrom = exactFrom
    }
}
