import EngineBasics
import EngineCompute
package import EngineModels
package import EngineVocabulary

/// One decoding pass over a window: runs the scorer, filters its logits and lets a search choose the tokens.
package struct DecodingTask: Sendable {
    /// Ids of the text " ", the same in both vocabularies.
    private static let blank = [220]
    /// That of the English-only models; in a smaller one the special tokens would have no ids.
    private static let smallestVocabulary = 51_864

    private let options: DecodingOptions
    private let filters: [any LogitFilter]
    private let endOfText: Int
    private let noSpeech: Int?
    private let vocabularySize: Int
    private let terms: TermTrie?

    /// - Parameters:
    ///   - nonSpeechTokens: ids that -1 in `suppressTokens` stands for.
    ///   - terms: preferred at temperature 0.
    /// - Throws: `DecodingError` for invalid options and vocabularies.
    package init(
        options: DecodingOptions, specials: SpecialTokens, nonSpeechTokens: [Int], terms: TermTrie? = nil
    ) throws(DecodingError) {
        try options.validate(vocabularySize: specials.vocabularySize)
        guard specials.vocabularySize >= Self.smallestVocabulary else {
            throw .vocabularyTooSmall(specials.vocabularySize)
        }
        try Self.check(nonSpeechTokens, named: "non-speech tokens", vocabularySize: specials.vocabularySize)
        self.init(
            options: options,
            filters: [any LogitFilter](
                for: options, specials: specials, blank: Self.blank, nonSpeechTokens: nonSpeechTokens),
            endOfText: specials.endOfText, noSpeech: specials.noSpeech, vocabularySize: specials.vocabularySize,
            terms: terms)
    }

    /// A task over any vocabulary with the given filters.
    ///
    /// - Parameters:
    ///   - options: must be valid; those about filters are ignored.
    ///   - noSpeech: `nil` makes the no-speech probability 0.
    package init(
        options: DecodingOptions, filters: [any LogitFilter], endOfText: Int, noSpeech: Int?, vocabularySize: Int,
        terms: TermTrie? = nil
    ) {
        self.options = options
        self.filters = filters
        self.endOfText = endOfText
        self.noSpeech = noSpeech
        self.vocabularySize = vocabularySize
        self.terms = options.temperature > 0 ? nil : terms
    }

    /// Decodes a window.
    ///
    /// - Parameters:
    ///   - position: of the window in the recording; together with the seed it determines the samples drawn.
    ///   - onStep: called with the currently best hypothesis after each step; an error it throws ends the pass.
    ///   - choose: picks the tokens of a search without beams, overriding the options' temperature.
    /// - Throws: `DecodingError`, and errors of the scorer and of `onStep`.
    package func run(
        _ scorer: any TokenScorer, from initial: InitialTokens, position: Int = 0,
        onStep: ((Hypothesis) throws -> Void)? = nil, choose: GreedySearch.Choice? = nil
    ) throws -> DecodedTokens {
        let steps = try checkedSteps(scorer, initial: initial)
        var search = search(after: initial, position: position, choose: choose)
        let last = initial.tokens.count - 1
        let positions = initial.sotIndex == last ? [last] : [initial.sotIndex, last]
        scorer.expect(choose == nil ? needs : nil)
        defer { scorer.expect(nil) }
        var logits = try scorer.start(initial.tokens, logitsAt: positions)
        try check(logits, count: positions.count)
        let noSpeechProb = noSpeech.map { LogProbabilities(logits[0]).probability(logits[0][$0]) } ?? 0
        logits.removeFirst(positions.count - 1)

        var step = 1
        while true {
            let rows = search.rows
            let probabilities = rows.indices.map {
                filters.survey(&logits[$0], sampled: initial.forced + rows[$0], greatest: search.width)
            }
            let continues = search.extend(by: logits, probabilities)
            if let count = search.rewound {
                scorer.truncate(to: initial.tokens.count + count)
                step = count + 1
            }
            try onStep?(search.best.preceded(by: initial.forced))
            if !continues || step == steps || initial.tokens.count + step > scorer.contextLength { break }
            try scorer.advance(search.rows.map { $0[step - 1] }, from: search.sources, into: &logits)
            try check(logits, count: search.sources.count)
            step += 1
        }
        let candidates = search.candidates()
        let ranker = Ranker(lengthPenalty: options.lengthPenalty, lengthExponent: options.lengthExponent)
        let winner = candidates[ranker.best(of: candidates)].preceded(by: initial.forced)
        return DecodedTokens(
            tokens: winner.tokens, logprobs: winner.logprobs, sumLogprobs: Double(winner.sumLogprobs),
            noSpeechProb: noSpeechProb)
    }

    /// Returns the maximum number of steps, including the one that ends the text.
    private func checkedSteps(_ scorer: any TokenScorer, initial: InitialTokens) throws(DecodingError) -> Int {
        guard scorer.vocabularySize == vocabularySize else {
            throw .wrongVocabulary(network: scorer.vocabularySize, tokenizer: vocabularySize)
        }
        try Self.check(initial.tokens, named: "initial tokens", vocabularySize: vocabularySize)
        let context = scorer.contextLength
        let requested = options.forcedTokenCount ?? options.maxNewTokens ?? 0
        guard initial.tokens.count <= context, requested <= context - initial.tokens.count else {
            throw .tooManyTokens(initial: initial.tokens.count, new: requested, context: context)
        }
        if let count = options.forcedTokenCount { return count + 1 }
        return max(1, options.maxNewTokens ?? options.sampleLength ?? context / 2)
    }

    private func search(
        after initial: InitialTokens, position: Int, choose: GreedySearch.Choice?
    ) -> any TokenSearch {
        func start(_ terms: TermTrie, _ bonus: TermBonus) -> TermTrie.Place {
            initial.tokens[initial.sotIndex...].reduce(TermTrie.Place()) {
                terms.place(after: $0, token: $1, bonus: bonus)
            }
        }
        if let size = options.beamSize {
            return BeamSearch(
                size: size, patience: options.effectivePatience, endOfText: endOfText, terms: terms,
                from: terms.map { start($0, BeamSearch.bonus) } ?? TermTrie.Place())
        }
        let count = options.bestOf ?? 1
        if let choose { return GreedySearch(count: count, endOfText: endOfText, choose: choose) }
        if let terms {
            return RewindingSearch(terms, from: start(terms, RewindingSearch.bonus), endOfText: endOfText)
        }
        guard options.temperature > 0 else { return GreedySearch(endOfText: endOfText) }
        var sampler = TokenSampler(
            temperature: options.temperature,
            generator: SplitMix64(seed: options.seed, position: position, temperature: options.temperature))
        return GreedySearch(count: count, endOfText: endOfText) { logits, _ in sampler.draw(from: logits) }
    }

    /// The scores that the search needs after the first step, which always computes all of them; `nil` is every score.
    ///
    /// Filters suppress either ids that are known in advance or all text, so the best of the remaining ids are the best
    /// that a search can choose, and tokens of terms those that are as good with their bonus. From the end of text on there
    /// are few ids, and their sum matters.
    private var needs: ScoreNeeds? {
        guard !filters.contains(where: \.needsEveryLogit) else { return nil }
        // Greedy search chooses one, but the next ones decide how probable it is.
        let best = options.beamSize.map { $0 + 1 } ?? (options.temperature > 0 ? 0 : 4)
        var needs = ScoreNeeds(best: best, never: filters.flatMap(\.alwaysSuppressed), exactFrom: endOfText)
        if let terms {
            let bonus = options.beamSize == nil ? RewindingSearch.bonus : BeamSearch.bonus
            needs.preferred = terms.greatestBonuses(bonus).map {
                ScoreNeeds.Preferred(column: $0.token, bonus: $0.bonus)
            }
        }
        return needs
    }

    private static func check(_ ids: [Int], named name: String, vocabularySize: Int) throws(DecodingError) {
        if let id = ids.first(where: { $0 < 0 || $0 >= vocabularySize }) {
            throw .unknownToken(option: name, id: id, vocabularySize: vocabularySize)
        }
    }

    /// Stops a network that has overflowed: one value that is not a number spreads to all scores of a row, and the search
    /// would try every temperature in vain. The scores from the end of text on are always computed.
    private func check(_ logits: [[Float]], count: Int) throws(DecodingError) {
        precondition(
            logits.count == count && logits.allSatisfy { $0.count == vocabularySize },
            "\(logits.count) rows of logits for \(count), of \(logits.map(\.count)) for \(vocabularySize) tokens")
        let isDamaged = logits.contains { row in row[endOfText...].contains { $0.isNaN || $0 == .infinity } }
        if isDamaged { throw .notFinite }
    }
}
