import EngineCompute
package import EngineVocabulary

/// Greedy search that prefers the tokens of terms, and takes them back if that was wrong.
///
/// A token gets a bonus if it begins or continues a term. If a later token leaves the term unfinished, or if the finished
/// term is much less likely than what the search would have chosen without it, the search goes back to the first of its
/// tokens that was chosen only because of the bonus, and chooses the next best there. So a term that was not said does
/// little harm to the words around it. Log probabilities are those without bonuses.
package struct RewindingSearch: TokenSearch {
    /// Chosen with 120 recordings and tiny.en (docs/vocabulary.md).
    package static let bonus = TermBonus(first: 4.5, later: 6, kept: 2.6)
    /// The most times that the search goes back in a window.
    private static let maxRewinds = 30

    /// A token of the text and what led to it.
    private struct Choice {
        /// The place before it.
        let place: TermTrie.Place
        /// What was not tried yet, in the order in which it is to be; empty for the likeliest token.
        var others: [TermTrie.Option]
        let deficit: Float
    }

    private let terms: TermTrie
    private let endOfText: Int
    private var hypothesis = Hypothesis()
    /// One for each token.
    private var choices: [Choice] = []
    /// The place after the last token.
    private var place: TermTrie.Place
    private var rewinds = 0
    private var isGrowing = true

    package private(set) var rewound: Int?

    /// - Parameter start: the place after the tokens that the text is forced to begin with.
    package init(_ terms: TermTrie, from start: TermTrie.Place = TermTrie.Place(), endOfText: Int) {
        self.terms = terms
        self.endOfText = endOfText
        place = start
    }

    package var rows: [[Int]] { isGrowing ? [hypothesis.tokens] : [] }
    package var sources: [Int] { isGrowing ? [0] : [] }
    package var best: Hypothesis { hypothesis }
    package var width: Int { 1 }
    package func candidates() -> [Hypothesis] { [hypothesis] }

    package mutating func extend(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> Bool {
        rewound = nil
        let options = options(logits[0], probabilities[0])
        if terms.breaks(place, token: options[0].token), rewind(place.unfinished, from: hypothesis.tokens.count) {
            return isGrowing
        }
        append(options)
        return isGrowing
    }

    private func options(_ logits: [Float], _ probabilities: LogProbabilities) -> [TermTrie.Option] {
        let likeliest = probabilities.best ?? endOfText
        if rewinds == Self.maxRewinds {
            return [TermTrie.Option(token: likeliest, logprob: probabilities(logits[likeliest]), deficit: 0)]
        }
        return terms.options(
            at: place, scores: logits, likeliest: likeliest, bonus: Self.bonus, logprob: { probabilities($0) })
    }

    private mutating func append(_ options: [TermTrie.Option]) {
        let option = options[0], count = hypothesis.tokens.count
        hypothesis.sumLogprobs += option.logprob
        isGrowing = option.token != endOfText
        guard isGrowing else { return }
        hypothesis.tokens.append(option.token)
        hypothesis.logprobs.append(option.logprob)
        choices.append(Choice(place: place, others: Array(options.dropFirst()), deficit: option.deficit))
        let before = place
        place = terms.place(after: before, token: option.token, bonus: Self.bonus)
        // Whether a finished term is likely enough.
        let earned = place.kept - before.kept, length = before.unfinished + 1
        guard place.unfinished == 0, earned > 0 else { return }
        let deficit = choices.suffix(length).reduce(0) { $0 + $1.deficit }
        if deficit > earned { _ = rewind(length, from: count + 1) }
    }

    /// Replaces the first of the last `length` tokens that was chosen because of its bonus, if there is one, and drops
    /// those after it.
    private mutating func rewind(_ length: Int, from count: Int) -> Bool {
        let last = max(0, count - length)..<count
        guard let position = last.first(where: { !choices[$0].others.isEmpty }) else { return false }
        rewinds += 1
        rewound = min(rewound ?? position, position)
        let choice = choices[position]
        hypothesis.tokens.removeLast(hypothesis.tokens.count - position)
        hypothesis.logprobs.removeLast(hypothesis.logprobs.count - position)
        hypothesis.sumLogprobs = hypothesis.logprobs.reduce(0, +)
        choices.removeLast(choices.count - position)
        place = choice.place
        append(choice.others)
        return true
    }
}
