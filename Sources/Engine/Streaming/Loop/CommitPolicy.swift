/// Decides which words of a pass become final before their utterance is over.
package protocol CommitPolicy: Sendable {
    /// How many words at the beginning of `words` are final now. Called once for each pass, in order.
    ///
    /// - Parameter head: sample at which the pass's sound ends.
    mutating func finalCount(of words: [LiveWord], head: Int) -> Int

    /// Forgets earlier passes: the last one was rejected, or the window begins anew.
    mutating func reset()
}

/// Nothing is final before the utterance is over.
package struct UtteranceOnly: CommitPolicy {
    package init() {}
    package mutating func finalCount(of words: [LiveWord], head: Int) -> Int { 0 }
    package mutating func reset() {}
}
