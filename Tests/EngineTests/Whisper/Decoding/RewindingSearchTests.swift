import Testing

@Suite("Greedy search with terms")
struct RewindingSearchTests {
    private static let end = 9
    private static let initial = InitialTokens(tokens: [0], sotIndex: 0)

    /// A scorer of a text.
    ///
    /// - Parameter near: by the number of tokens before them, how much less likely other tokens are than the text's, which
    ///   otherwise are 20 less likely.
    private static func scorer(_ text: [Int], near: [Int: [Int: Float]] = [:], begin: Int = 1) -> ScriptedScorer {
        ScriptedScorer(vocabularySize: 10) { row in
            let position = row.count - begin
            let next = text.indices.contains(position) ? text[position] : end
            return (0..<10).map { $0 == next ? 0 : -(near[position]?[$0] ?? 20) }
        }
    }

    private static func trie(_ terms: [[Int]]) -> TermTrie {
        TermTrie(terms.map { TermTrie.Spelling($0) }, textBytes: { [UInt8($0)] })
    }

    private static func task(_ terms: TermTrie?, _ change: (inout DecodingOptions) -> Void = { _ in }) -> DecodingTask {
        var options = DecodingOptions()
        options.sampleLength = 20
        change(&options)
        return DecodingTask(
            options: options, filters: [], endOfText: end, noSpeech: nil, vocabularySize: 10, terms: terms)
    }

    @Test("a term whose tokens are nearly the likeliest is chosen, with the network's log probabilities")
    func term() throws {
        let scorer = Self.scorer([1, 2, 3, 4], near: [1: [5: 2], 2: [6: 3]])
        let result = try Self.task(Self.trie([[5, 6]])).run(scorer, from: Self.initial)
        #expect(result.tokens == [1, 5, 6, 4])
        for (logprob, expected) in zip(result.logprobs, [0, -2.13, -3.05, 0] as [Float]) {
            #expect(abs(logprob - expected) < 0.01)
        }
        #expect(abs(result.sumLogprobs + 5.18) < 0.01)
        #expect(scorer.truncations == [])
    }

    @Test("a finished term that is much less likely than the text without it is taken back, too")
    func unlikely() throws {
        let near: [Int: [Int: Float]] = [1: [5: 2], 2: [6: 4]]
        let scorer = Self.scorer([1, 2, 3, 4], near: near)
        let result = try Self.task(Self.trie([[5, 6]])).run(scorer, from: Self.initial)
        #expect(try Self.task(nil).run(Self.scorer([1, 2, 3, 4], near: near), from: Self.initial) == result)
        #expect(scorer.truncations == [2])
    }

    @Test("at a place where a term was taken back, two more are tried")
    func others() throws {
        let near: [Int: [Int: Float]] = [1: [5: 1, 6: 2, 7: 2.5, 8: 2.55]]
        let terms = Self.trie([[5, 1], [6, 1], [7, 1], [8]])
        let scorer = Self.scorer([1, 2, 3, 4], near: near)
        #expect(try Self.task(terms).run(scorer, from: Self.initial).tokens == [1, 2, 3, 4])
        #expect(scorer.truncations == [2, 2, 2])
        let fewer = Self.trie([[5, 1], [6, 1], [8]])
        #expect(
            try Self.task(fewer).run(Self.scorer([1, 2, 3, 4], near: near), from: Self.initial).tokens == [1, 8, 3, 4])
    }

    @Test("a term with a greater weight may be less likely")
    func weight() throws {
        let terms = TermTrie([TermTrie.Spelling([5, 6], weight: 2)], textBytes: { [UInt8($0)] })
        let scorer = Self.scorer([1, 2, 3, 4], near: [1: [5: 4], 2: [6: 6]])
        #expect(try Self.task(terms).run(scorer, from: Self.initial).tokens == [1, 5, 6, 4])
    }

    @Test("a term that is not finished is taken back, and the text is as without it")
    func rewinding() throws {
        let near: [Int: [Int: Float]] = [1: [5: 2.5], 2: [6: 2.5], 3: [7: 6.5]]
        let scorer = Self.scorer([1, 2, 3, 4], near: near)
        let result = try Self.task(Self.trie([[5, 6, 7]])).run(scorer, from: Self.initial)
        #expect(try Self.task(nil).run(Self.scorer([1, 2, 3, 4], near: near), from: Self.initial) == result)
        #expect(result.tokens == [1, 2, 3, 4])
        #expect(scorer.truncations == [2])
    }

    @Test("what the network itself has chosen of an unfinished term stays")
    func likeliest() throws {
        let scorer = Self.scorer([5, 2, 3], near: [1: [6: 2.5], 2: [7: 9]])
        let result = try Self.task(Self.trie([[5, 6, 7]])).run(scorer, from: Self.initial)
        #expect(result.tokens == [5, 2, 3])
        #expect(scorer.truncations == [2])
    }

    @Test("at temperatures above 0 there is no bonus")
    func temperature() throws {
        let task = Self.task(Self.trie([[5]])) { $0.temperature = 0.01 }
        let scorer = Self.scorer([1, 2], near: [0: [5: 2]])
        #expect(try task.run(scorer, from: Self.initial).tokens == [1, 2])
    }

    @Test("a longer term is taken back to the end of the shorter one")
    func longer() throws {
        let scorer = Self.scorer([1, 2, 3, 4], near: [0: [5: 2], 1: [6: 4.5], 2: [7: 6.5]])
        let result = try Self.task(Self.trie([[5], [5, 6, 7]])).run(scorer, from: Self.initial)
        #expect(result.tokens == [5, 2, 3, 4])
        #expect(scorer.truncations == [2])
    }

    @Test("a term that the text is forced to begin with is continued")
    func forced() throws {
        let scorer = Self.scorer([1, 2], near: [0: [6: 2]], begin: 2)
        let initial = InitialTokens(tokens: [0, 5], sotIndex: 0)
        #expect(try Self.task(Self.trie([[5, 6]])).run(scorer, from: initial).tokens == [6, 2])
    }

    @Test("the end of the text takes an unfinished term back, too, and may take its place")
    func endOfText() throws {
        let scorer = Self.scorer([1], near: [1: [5: 2.5]])
        #expect(try Self.task(Self.trie([[5, 6]])).run(scorer, from: Self.initial).tokens == [1])
        #expect(scorer.truncations == [2])
    }

    @Test("the search goes back thirty times at most")
    func limit() throws {
        let text = [Int](repeating: 1, count: 100)
        let near = Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, [5: Float(2.5)]) })
        let scorer = Self.scorer(text, near: near)
        let result = try Self.task(Self.trie([[5, 6]])) { $0.sampleLength = 101 }.run(scorer, from: Self.initial)
        #expect(scorer.truncations.count == 30)
        #expect(result.tokens.count == 100)
    }

    @Test("whatever the terms, only finished ones have changed the text", arguments: 0..<200)
    func property(seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        let terms = (0..<3).map { _ in
            (0..<Int.random(in: 1...3, using: &generator)).map { _ in Int.random(in: 0..<23, using: &generator) }
        }
        let trie = Self.trie(terms)
        let scorer = FormulaScorer(seed: seed, sharp: 8, eotGain: 0.3, begin: 1)
        var options = DecodingOptions()
        options.sampleLength = 25
        let task = DecodingTask(
            options: options, filters: [], endOfText: FormulaScorer.endOfText, noSpeech: nil, vocabularySize: 24,
            terms: trie)
        let result = try task.run(scorer, from: Self.initial)
        var place = trie.place(after: TermTrie.Place(), token: 0, bonus: RewindingSearch.bonus)
        var changed: [Bool] = []
        for (index, token) in result.tokens.enumerated() {
            let logits = scorer.logits(after: [0] + result.tokens[..<index])
            let probabilities = LogProbabilities(logits, greatest: 1)
            #expect(abs(result.logprobs[index] - probabilities(logits[token])) < 1e-6)
            if trie.breaks(place, token: token) { #expect(!changed.suffix(place.unfinished).contains(true)) }
            changed.append(token != probabilities.best)
            place = trie.place(after: place, token: token, bonus: RewindingSearch.bonus)
            let text = [0] + result.tokens[...index]
            let ends = terms.contains { text.suffix($0.count) == $0[...] }
            if changed[index] { #expect(place.unfinished > 0 || ends) }
        }
    }
}
