/// How often in a row a run of tokens may come before a text counts as a loop.
///
/// The compression ratio misses loops of a few words in a short text.
package struct RepetitionLimit: Hashable, Sendable {
    /// So many times is too often.
    package let times: Int
    /// Ids from here on are no text.
    package let endOfText: Int

    package init(times: Int, endOfText: Int) {
        self.times = times
        self.endOfText = endOfText
    }

    /// How often the run comes that comes most often in a row; `nil` within the limit.
    ///
    /// - Parameter tokens: timestamps are passed over.
    package func excess(in tokens: [Int]) -> Int? {
        let text = tokens.filter { $0 < endOfText }
        guard times > 1, text.count >= times else { return nil }
        var most = 1
        for length in 1...(text.count / times) {
            var equal = 0
            for index in length..<text.count {
                equal = text[index] == text[index - length] ? equal + 1 : 0
                most = max(most, equal / length + 1)
            }
        }
        return most >= times ? most : nil
    }
}
