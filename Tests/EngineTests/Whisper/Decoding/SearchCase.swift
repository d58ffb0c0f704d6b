import Foundation
import Testing

/// A case of `beam.json` or `greedy.json`.
struct SearchCase: Decodable {
    struct File: Decodable { let cases: [SearchCase] }

    let seed: Int
    let sharp: Double
    let eotGain: Double
    let beamSize: Int?
    let patience: Double?
    let lengthPenalty: Double?
    let sampleLen: Int
    let nCtx: Int
    let begin: [Int]
    let maxCandidates: Int?
    let steps: Int
    let completed: Bool
    let candidates: [[Int]]
    let sumLogprobs: [Double]
    let selected: Int
    let tokens: [Int]
    let avgLogprob: Double
    let sources: [[Int]]?

    var scorer: FormulaScorer {
        FormulaScorer(seed: seed, sharp: sharp, eotGain: eotGain, begin: begin.count, contextLength: nCtx)
    }

    var options: DecodingOptions {
        var options = DecodingOptions()
        options.beamSize = beamSize
        options.patience = patience
        options.lengthPenalty = lengthPenalty
        options.sampleLength = sampleLen
        return options
    }

    var task: DecodingTask {
        DecodingTask(
            options: options, filters: [], endOfText: FormulaScorer.endOfText, noSpeech: nil, vocabularySize: 24)
    }

    var initial: InitialTokens { InitialTokens(tokens: begin, sotIndex: 0) }

    /// Runs a search step by step, as the decoding loop does.
    func replay(_ search: inout some TokenSearch) -> (steps: Int, completed: Bool, sources: [[Int]]) {
        let scorer = scorer
        var logits = scorer.start(begin, logitsAt: [begin.count - 1])
        var sources: [[Int]] = []
        for step in 1...sampleLen {
            let continues = search.extend(by: logits)
            sources.append(search.sources)
            if !continues { return (step, true, sources) }
            if begin.count + step > nCtx { return (step, false, sources) }
            if step < sampleLen {
                scorer.advance(search.rows.map { $0[step - 1] }, from: search.sources, into: &logits)
            }
        }
        return (sampleLen, false, sources)
    }

    /// Sums may differ by 1e-4 per token, the log probability of a token by as much from the definition.
    func expectCandidates(_ actual: [Hypothesis]) {
        #expect(actual.map(\.tokens) == candidates)
        for one in actual { expectLogprobs(one.logprobs, of: one.tokens) }
        for (one, sum) in zip(actual, sumLogprobs) {
            #expect(abs(Double(one.sumLogprobs) - sum) <= 1e-4 * Double(one.tokens.count + 1))
        }
    }

    func expectWinner(_ result: DecodedTokens) {
        #expect(result.tokens == tokens)
        #expect(result.tokens == candidates[selected])
        expectLogprobs(result.logprobs, of: result.tokens)
        #expect(abs(result.avgLogprob - avgLogprob) <= 1e-4)
    }

    /// The log probability of a token is its logit less the logarithm of the sum of all exponentials.
    private func expectLogprobs(_ logprobs: [Float], of tokens: [Int]) {
        #expect(logprobs.count == tokens.count)
        let scorer = scorer
        for (index, (logprob, token)) in zip(logprobs, tokens).enumerated() {
            let logits = scorer.logits(after: begin + tokens[..<index]).map(Double.init)
            let expected = logits[token] - log(logits.map(exp).reduce(0, +))
            #expect(abs(Double(logprob) - expected) <= 1e-4)
        }
    }
}

extension TokenSearch {
    /// Makes one step by unfiltered logits.
    mutating func extend(by logits: [[Float]]) -> Bool {
        let width = width
        return extend(by: logits, logits.map { LogProbabilities($0, greatest: width) })
    }
}
