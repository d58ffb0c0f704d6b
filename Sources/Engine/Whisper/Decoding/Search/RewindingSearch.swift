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
    /// The most terms that are tried at a place.
    private static let maxTries = 3

    private struct Option {
        let token: Int
        let logprob: Float
        /// How much less likely it is than the likeliest token.
        let deficit: Float
    }

    /// A token of the text and what led to it.
    private struct Choice {
        /// The place before it.
        let place: TermTrie.Place
        /// What was not tried yet, in the order in which it is to be; empty for the likeliest token.
        var others: [Option]
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

    /// The tokens to try, with the greatest score first: the likeliest token and those that surpass it with their bonus.
    private func options(_ logits: [Float], _ probabilities: LogProbabilities) -> [Option] {
        let likeliest = probabilities.best ?? endOfText, logprob = probabilities(logits[likeliest])
        var options = [(score: logits[likeliest], Option(token: likeliest, logprob: logprob, deficit: 0))]
        let steps = terms.steps(at: place, scores: logits, bonus: Self.bonus, above: logits[likeliest])
        for step in rewinds < Self.maxRewinds ? steps : [] {
            let score = logits[step.token] + step.bonus
            if step.token == likeliest {
                options[0].score = score
            } else {
                let own = probabilities(logits[step.token])
                options.append((score, Option(token: step.token, logprob: own, deficit: logprob - own)))
            }
        }
        options.sort { $0.score != $1.score ? $0.score > $1.score : $0.1.token < $1.1.token }
        let end = options.firstIndex { $0.1.token == likeliest } ?? 0
        return (options[..<end].prefix(Self.maxTries) + [options[end]]).map(\.1)
    }

    private mutating func append(_ options: [Option]) {
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
