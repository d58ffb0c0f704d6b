/// Independent hypotheses that each take one token a step: the best one, or one drawn at random.
package struct GreedySearch: TokenSearch {
    /// Picks a token from a candidate's filtered logits; `nil` where none is possible.
    package typealias Choice = (_ logits: [Float], _ candidate: Int) -> Int?

    private let endOfText: Int
    private let choose: Choice?
    private var hypotheses: [Hypothesis]
    /// The candidate of each row. All candidates grow from the one row at first.
    private var growing: [Int] = []
    private var hasBegun = false

    package private(set) var sources: [Int] = []

    /// - Parameters:
    ///   - count: number of candidates; 1 for the best token.
    ///   - choose: the best token where nothing else is given.
    package init(count: Int = 1, endOfText: Int, choose: Choice? = nil) {
        precondition(count > 0, "\(count) candidates")
        self.endOfText = endOfText
        self.choose = choose
        hypotheses = Array(repeating: Hypothesis(), count: count)
    }

    package var rows: [[Int]] {
        hasBegun ? growing.map { hypotheses[$0].tokens } : [[]]
    }

    package var best: [Int] {
        hypotheses[Ranker(lengthPenalty: nil).best(of: hypotheses)].tokens
    }

    package var width: Int { choose == nil ? 1 : 0 }

    package mutating func extend(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> Bool {
        let candidates = hasBegun ? growing : Array(hypotheses.indices)
        growing.removeAll(keepingCapacity: true)
        sources.removeAll(keepingCapacity: true)
        for (index, candidate) in candidates.enumerated() {
            let row = hasBegun ? index : 0
            // Nothing is possible when filters or damaged weights leave no logit: the hypothesis ends, unlikely.
            let chosen = choose.map { $0(logits[row], candidate) } ?? probabilities[row].best
            let token = chosen ?? endOfText
            hypotheses[candidate].sumLogprobs += probabilities[row](logits[row][token])
            guard token != endOfText else { continue }
            hypotheses[candidate].tokens.append(token)
            growing.append(candidate)
            sources.append(row)
        }
        hasBegun = true
        return !growing.isEmpty
    }

    package func candidates() -> [Hypothesis] { hypotheses }
}
