/// Words are final when so many successive passes begin with them (LocalAgreement-n, Liu et al. 2020).
package struct LocalAgreement: CommitPolicy {
    private let passes: Int
    private let guardSamples: Int
    private let doubt: WordDoubt
    /// Words of the last passes that are not final yet, oldest pass first.
    private var history: [[LiveWord]] = []

    /// - Parameters:
    ///   - passes: how many must agree, this one included.
    ///   - guardSamples: a word that ends closer to the end of the sound waits.
    ///   - doubt: words of which one of the passes was not sure wait, too.
    package init(passes: Int, guardSamples: Int, doubt: WordDoubt = .none) {
        self.doubt = doubt
        self.passes = max(1, passes)
        self.guardSamples = guardSamples
    }

    package mutating func finalCount(of words: [LiveWord], head: Int) -> Int {
        var count = 0
        if history.count == passes - 1 {
            let most = history.map(\.count).reduce(words.count, min)
            while count < most, words[count].end <= head - guardSamples,
                !doubt.holds(words[count], head: head),
                history.allSatisfy({
                    $0[count].key == words[count].key && !doubt.holds($0[count], head: head)
                })
            {
                count += 1
            }
        }
        history = (history + [words]).suffix(passes - 1).map { Array($0.dropFirst(count)) }
        return count
    }

    package mutating func reset() { history = [] }
}
