/// Words are final at once while the network attends well before the end of the sound (AlignAtt, Papi et al. 2023).
///
/// The decoder looks at the attention and marks the words; see `AttentionRule`.
package struct AlignAtt: CommitPolicy {
    private let doubt: WordDoubt

    /// - Parameter doubt: words of which the network is not sure wait.
    package init(doubt: WordDoubt = .none) { self.doubt = doubt }

    package mutating func finalCount(of words: [LiveWord], head: Int) -> Int {
        words.firstIndex { !$0.isStable || doubt.holds($0, head: head) } ?? words.count
    }

    package mutating func reset() {}
}
