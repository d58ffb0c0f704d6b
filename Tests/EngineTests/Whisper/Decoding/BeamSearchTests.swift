import Testing

@Suite("Beam search")
struct BeamSearchTests {
    static let cases = (try? Fixtures.decoding("beam", as: SearchCase.File.self).cases) ?? []

    @Test("all reference cases are present")
    func count() { #expect(Self.cases.count == 216) }

    @Test("candidates, order, sums and sources equal the reference's at every step", arguments: cases)
    func steps(one: SearchCase) throws {
        let size = try #require(one.beamSize)
        let patience = one.patience ?? 1
        #expect(BeamSearch.maxCandidates(size: size, patience: patience) == one.maxCandidates)
        var search = BeamSearch(size: size, patience: patience, endOfText: FormulaScorer.endOfText)
        let (steps, completed, sources) = one.replay(&search)
        #expect(steps == one.steps)
        #expect(completed == one.completed)
        one.expectCandidates(search.candidates())
        // In the reference's first step there are `size` equal beams and the last is the source; here there is one row.
        var expected = try #require(one.sources)
        #expect(expected[0] == Array(repeating: size - 1, count: size))
        expected[0] = Array(repeating: 0, count: size)
        #expect(sources == expected)
    }

    @Test("a whole pass generates the reference's tokens from the same sources", arguments: cases)
    func pass(one: SearchCase) throws {
        let size = try #require(one.beamSize)
        let scorer = one.scorer
        var steps = 0
        let result = try one.task.run(scorer, from: one.initial) { _ in steps += 1 }
        one.expectWinner(result)
        #expect(steps == one.steps)
        #expect(scorer.started == one.begin)
        // The tokens of the last step are not fed back.
        var expected = try #require(one.sources).dropLast()
        if !expected.isEmpty { expected[0] = Array(repeating: 0, count: size) }
        #expect(scorer.advances.map(\.sources) == Array(expected))
    }

    @Test("one beam is the same as greedy search", arguments: 100..<160)
    func oneBeam(seed: Int) throws {
        func run(beams: Int?) throws -> (DecodedTokens, [FormulaScorer.Advance]) {
            var options = DecodingOptions()
            options.beamSize = beams
            options.sampleLength = 20
            let task = DecodingTask(
                options: options, filters: [], endOfText: FormulaScorer.endOfText, noSpeech: nil, vocabularySize: 24)
            let scorer = FormulaScorer(seed: seed, sharp: 5, eotGain: 0.3, begin: 1)
            return (try task.run(scorer, from: InitialTokens(tokens: [0], sotIndex: 0)), scorer.advances)
        }
        let (greedy, greedySteps) = try run(beams: nil)
        let (beam, beamSteps) = try run(beams: 1)
        #expect(greedy == beam)
        #expect(greedySteps == beamSteps)
    }

    @Test("any number of beams works on a small vocabulary, with at most one row per beam", arguments: 1...64)
    func sizes(size: Int) throws {
        for patience in [0.5, 1, 2.5] where BeamSearch.maxCandidates(size: size, patience: patience) > 0 {
            var options = DecodingOptions()
            options.beamSize = size
            options.patience = patience
            options.sampleLength = 12
            let task = DecodingTask(
                options: options, filters: [], endOfText: FormulaScorer.endOfText, noSpeech: nil, vocabularySize: 24)
            let scorer = FormulaScorer(seed: size, sharp: 3, eotGain: 0.3, begin: 1, contextLength: 9)
            let result = try task.run(scorer, from: InitialTokens(tokens: [0], sotIndex: 0))
            #expect(!result.tokens.isEmpty)
            #expect(scorer.advances.allSatisfy { $0.tokens.count <= size })
            #expect(scorer.advances.count <= 8)
        }
    }

    @Test(
        "the number of finished hypotheses rounds half to even, as in the reference",
        arguments: [(5, 0.5, 2), (3, 0.5, 2), (5, 0.1, 0), (4, 1.3, 5)])
    func rounding(size: Int, patience: Double, expected: Int) {
        #expect(BeamSearch.maxCandidates(size: size, patience: patience) == expected)
    }

    @Test("on ties the earlier beam and the lower id come first")
    func ties() {
        var search = BeamSearch(size: 2, endOfText: 3)
        var continues = search.extend(by: [[1, 1, 1, -.infinity]])
        #expect(continues)
        #expect(search.rows == [[0], [1]])
        continues = search.extend(by: [[1, 1, 1, -.infinity], [1, 1, 1, -.infinity]])
        #expect(continues)
        #expect(search.rows == [[0, 0], [0, 1]])
        #expect(search.sources == [0, 0])
        // Unfinished beams are added in reverse order.
        #expect(search.candidates().map(\.tokens) == [[0, 1], [0, 0]])
    }

    @Test(
        "with as many beams as texts, the best one is found, each token of a finished term counting more",
        arguments: 0..<20)
    func terms(seed: Int) throws {
        let terms = [[0, 1], [2, 3, 3]], end = 4
        let trie = TermTrie(terms.map { TermTrie.Spelling($0) }, textBytes: { [UInt8($0)] })
        func logits(after row: [Int]) -> [Float] {
            PlantedNumbers.units(seed, row, count: 5).map { Float(6 * $0) }
        }
        var options = DecodingOptions()
        options.beamSize = 256
        options.sampleLength = 4
        let task = DecodingTask(
            options: options, filters: [], endOfText: end, noSpeech: nil, vocabularySize: 5, terms: trie)
        let found = try task.run(
            ScriptedScorer(vocabularySize: 5, score: logits), from: InitialTokens(tokens: [end], sotIndex: 0))

        func bonus(of text: [Int]) -> Float {
            var (sum, index, last): (Float, Int, [Int]?) = (0, 0, nil)
            while index < text.count {
                let term = terms.first { text[index...].starts(with: $0) }
                if let term { sum += BeamSearch.bonus.kept * Float(term.count - (term == last ? 1 : 0)) }
                last = term
                index += term?.count ?? 1
            }
            return sum
        }
        var best = (text: [Int](), score: -Float.infinity, logprob: Float(0))
        func visit(_ text: [Int], _ logprob: Float) {
            let probabilities = LogProbabilities(logits(after: [end] + text))
            func compare(_ logprob: Float) {
                let score = (logprob + bonus(of: text)) / Float(text.count)
                if score > best.score { best = (text, score, logprob) }
            }
            if text.count == 4 { return compare(logprob) }
            let scores = logits(after: [end] + text)
            if !text.isEmpty { compare(logprob + probabilities(scores[end])) }
            for token in 0..<end { visit(text + [token], logprob + probabilities(scores[token])) }
        }
        visit([], 0)
        #expect(found.tokens == best.text)
        #expect(abs(found.sumLogprobs - Double(best.logprob)) < 1e-4)
    }

    @Test("beams without a possible token end without trapping", arguments: [-Float.infinity, .nan, .infinity])
    func extremes(value: Float) {
        var search = BeamSearch(size: 3, endOfText: 3)
        var steps = 0
        var continues = true
        while steps < 5, continues {
            continues = search.extend(by: search.rows.map { _ in [Float](repeating: value, count: 4) })
            steps += 1
        }
        #expect(!search.candidates().isEmpty)
        #expect(search.candidates().allSatisfy { !$0.sumLogprobs.isNaN })
    }
}
