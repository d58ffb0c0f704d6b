/// Keeps the most likely hypotheses side by side and collects those that end.
///
/// The reference starts with `size` equal beams and merges their equal successors. Here the search starts with one
/// beam: its successors are the same, and since they differ, so do all sequences after them. No sequence is ever
/// met twice, and the reference's map from sequence to score is a list.
package struct BeamSearch: TokenSearch {
    private let size: Int
    /// Ended hypotheses that complete the search.
    private let maxCandidates: Int
    private let endOfText: Int
    /// Best first.
    private var beams: [Hypothesis] = [Hypothesis()]
    /// In the order they ended, those of one step best first.
    private var finished: [Hypothesis] = []

    package private(set) var sources: [Int] = []

    /// - Parameters:
    ///   - size: number of beams, at least 1.
    ///   - patience: the search is complete with round(`size` · `patience`) ended hypotheses.
    package init(size: Int, patience: Double = 1, endOfText: Int) {
        precondition(size > 0, "\(size) beams")
        self.size = size
        self.endOfText = endOfText
        maxCandidates = Self.maxCandidates(size: size, patience: patience)
    }

    /// Ended hypotheses that complete a search: round(`size` · `patience`), half to even.
    package static func maxCandidates(size: Int, patience: Double) -> Int {
        let product = (Double(size) * patience).rounded(.toNearestOrEven)
        return product.isNaN ? 0 : Int(max(0, min(product, 1e9)))
    }

    package var rows: [[Int]] { beams.map(\.tokens) }

    package var best: [Int] {
        let candidates = beams + finished
        return candidates.isEmpty ? [] : candidates[Ranker(lengthPenalty: nil).best(of: candidates)].tokens
    }

    /// Enough of each beam for `size` that go on when one of them ends.
    package var width: Int { size + 1 }

    package mutating func extend(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> Bool {
        let successors = ranked(successors(by: logits, probabilities))
        var next: [Hypothesis] = []
        next.reserveCapacity(size)
        sources.removeAll(keepingCapacity: true)
        // Ends that rank below the last beam kept are lost, as in the reference.
        for successor in successors {
            let tokens = beams[successor.source].tokens
            if successor.token == endOfText {
                if finished.count < maxCandidates {
                    finished.append(Hypothesis(tokens: tokens, sumLogprobs: successor.score))
                }
            } else {
                next.append(Hypothesis(tokens: tokens + [successor.token], sumLogprobs: successor.score))
                sources.append(successor.source)
                if next.count == size { break }
            }
        }
        beams = next
        return finished.count < maxCandidates && !beams.isEmpty
    }

    package func candidates() -> [Hypothesis] {
        guard finished.count < size else { return finished }
        // Of equal scores the later beam goes first: the reference sorts upwards and reads backwards.
        let unfinished = beams.indices.sorted {
            beams[$0].sumLogprobs != beams[$1].sumLogprobs
                ? beams[$0].sumLogprobs > beams[$1].sumLogprobs : $0 > $1
        }
        return finished + unfinished.prefix(size - finished.count).map { beams[$0] }
    }

    private struct Successor {
        let source: Int
        let token: Int
        let score: Float
    }

    private func successors(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> [Successor] {
        var successors: [Successor] = []
        successors.reserveCapacity(beams.count * width)
        for (source, beam) in beams.enumerated() {
            for token in probabilities[source].greatest {
                let score = beam.sumLogprobs + probabilities[source](logits[source][token])
                successors.append(Successor(source: source, token: token, score: score))
            }
        }
        return successors
    }

    /// By score downwards; equal scores keep their order.
    private func ranked(_ successors: [Successor]) -> [Successor] {
        let order = successors.indices.sorted {
            successors[$0].score != successors[$1].score ? successors[$0].score > successors[$1].score : $0 < $1
        }
        return order.map { successors[$0] }
    }
}
