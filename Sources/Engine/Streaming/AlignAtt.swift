/// Words are final at once while the network attends well before the end of the sound (AlignAtt, Papi et al. 2023).
///
/// The decoder looks at the attention and marks the words; see `AttentionRule`.
package struct AlignAtt: CommitPolicy {
    package init() {}

    package mutating func finalCount(of words: [LiveWord], head: Int) -> Int {
        words.firstIndex { !$0.isStable } ?? words.count
    }

    package mutating func reset() {}
}
