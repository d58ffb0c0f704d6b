/// Greedy search and sampling: independent hypotheses, each extended by one token per step, either the most likely one
/// or one sampled at random.
package struct GreedySearch: TokenSearch {
    /// Picks a token from a candidate's filtered logits; `nil` if none is possible.
    package typealias Choice = (_ logits: [Float], _ candidate: Int) -> Int?

    private let endOfText: Int
    private let choose: Choice?
    private var hypotheses: [Hypothesis]
    /// The candidate of each row. In the first step all candidates grow from a single row.
    private var growing: [Int] = []
    private var hasStarted = false

    package private(set) var sources: [Int] = []

    /// - Parameters:
    ///   - count: number of candidates; 1 for greedy search.
    ///   - choose: picks the tokens; `nil` chooses the most likely one.
    package init(count: Int = 1, endOfText: Int, choose: Choice? = nil) {
        precondition(count > 0, "\(count) candidates")
        self.endOfText = endOfText
        self.choose = choose
        hypotheses = Array(repeating: Hypothesis(), count: count)
    }

    package var rows: [[Int]] {
        hasStarted ? growing.map { hypotheses[$0].tokens } : [[]]
    }

    package var best: Hypothesis {
        hypotheses[Ranker(lengthPenalty: nil).best(of: hypotheses)]
    }

    package var width: Int { choose == nil ? 1 : 0 }

    package mutating func extend(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> Bool {
        let candidates = hasStarted ? growing : Array(hypotheses.indices)
        growing.removeAll(keepingCapacity: true)
        sources.removeAll(keepingCapacity: true)
        for (index, candidate) in candidates.enumerated() {
            let row = hasStarted ? index : 0
            // If filters or damaged weights leave no possible token, the hypothesis ends with a probability of 0.
            let chosen = choose.map { $0(logits[row], candidate) } ?? probabilities[row].best
            let token = chosen ?? endOfText
            let logprob = probabilities[row](logits[row][token])
            hypotheses[candidate].sumLogprobs += logprob
            guard token != endOfText else { continue }
            hypotheses[candidate].tokens.append(token)
            hypotheses[candidate].logprobs.append(logprob)
            growing.append(candidate)
            sources.append(row)
        }
        hasStarted = true
        return !growing.isEmpty
    }

    package func candidates() -> [Hypothesis] { hypotheses }
}
