/// A token that was heard, with its place in the audio.
package struct ParakeetToken: Hashable, Sendable {
    package var id: Int
    /// The encoder frame at which it begins, and the one after its last.
    package var start: Int
    package var end: Int
    /// The natural logarithm of its probability among all tokens and the blank.
    package var logprob: Float

    package init(id: Int, start: Int, end: Int, logprob: Float) {
        self.id = id
        self.start = start
        self.end = end
        self.logprob = logprob
    }
}
