/// How a search prefers terms, in natural logarithms of probabilities and times a term's weight.
package struct TermBonus: Hashable, Sendable {
    /// What the first token of a term gets while the term is not finished, so that the search tries it.
    package let first: Float
    /// What each later token gets.
    package let later: Float
    /// What each token of a finished term keeps: a term may be this much less likely than other words.
    package let kept: Float

    package init(first: Float, later: Float, kept: Float) {
        self.first = first
        self.later = later
        self.kept = kept
    }
}
