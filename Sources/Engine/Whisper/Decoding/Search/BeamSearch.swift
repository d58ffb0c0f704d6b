/// Beam search: extends the most likely hypotheses in parallel and collects those that finish.
///
/// The reference starts with `size` equal beams and merges their equal successors. This search starts with a single
/// beam, which has the same successors; since these differ from each other, so do all sequences that follow. No sequence
/// can occur twice, so a list replaces the reference's map from sequence to score.
package struct BeamSearch: TokenSearch {
    private let size: Int
    /// Number of finished hypotheses at which the search stops.
    private let maxCandidates: Int
    private let endOfText: Int
    /// Best first.
    private var beams: [Hypothesis] = [Hypothesis()]
    /// In the order in which they finished, those of the same step best first.
    private var finished: [Hypothesis] = []

    package private(set) var sources: [Int] = []

    /// - Parameters:
    ///   - size: number of beams, at least 1.
    ///   - patience: the search stops after round(`size` · `patience`) finished hypotheses.
    package init(size: Int, patience: Double = 1, endOfText: Int) {
        precondition(size > 0, "\(size) beams")
        self.size = size
        self.endOfText = endOfText
        maxCandidates = Self.maxCandidates(size: size, patience: patience)
    }

    /// The number of finished hypotheses at which a search stops: round(`size` · `patience`), half to even.
    package static func maxCandidates(size: Int, patience: Double) -> Int {
        let product = (Double(size) * patience).rounded(.toNearestOrEven)
        return product.isNaN ? 0 : Int(max(0, min(product, 1e9)))
    }

    /// The stop rule: enough hypotheses have finished, or no beam is left to extend.
    ///
    /// The likelihoods play no role: as in the reference, the search stops even if a beam could still overtake the
    /// finished hypotheses.
    // Golden data is openai-whisper's: another rule needs an option that is off by default. `extend` stops collecting at
    // the same number, `DecodingTask.run` has the limit on length, and `DecodingOptions.checkRows` checks the patience. Live
    // audio uses beams, too (`StreamingOptions.doubtfulBeams`). Tests: `BeamSearchTests`, the oracle tests of windows and
    // transcriptions, and the beam cases of `NanoParityTests` and `RealParityTests`.
    private var isComplete: Bool { finished.count >= maxCandidates || beams.isEmpty }

    package var rows: [[Int]] { beams.map(\.tokens) }

    package var best: Hypothesis {
        let candidates = beams + finished
        return candidates.isEmpty ? Hypothesis() : candidates[Ranker(lengthPenalty: nil).best(of: candidates)]
    }

    /// One more than `size`, so that `size` successors remain if one of them is the end of text.
    package var width: Int { size + 1 }

    package mutating func extend(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> Bool {
        let successors = ranked(successors(by: logits, probabilities))
        var next: [Hypothesis] = []
        next.reserveCapacity(size)
        sources.removeAll(keepingCapacity: true)
        // Hypotheses that finish below the last beam kept are dropped, as in the reference.
        for successor in successors {
            var hypothesis = beams[successor.source]
            hypothesis.sumLogprobs = successor.score
            if successor.token == endOfText {
                if finished.count < maxCandidates { finished.append(hypothesis) }
            } else {
                hypothesis.tokens.append(successor.token)
                hypothesis.logprobs.append(successor.logprob)
                next.append(hypothesis)
                sources.append(successor.source)
                if next.count == size { break }
            }
        }
        beams = next
        return !isComplete
    }

    /// The finished hypotheses, filled up to `size` with the best unfinished ones.
    package func candidates() -> [Hypothesis] {
        guard finished.count < size else { return finished }
        // On ties the later beam comes first: the reference sorts in ascending order and reads backwards.
        let unfinished = beams.indices.sorted {
            beams[$0].sumLogprobs != beams[$1].sumLogprobs
                ? beams[$0].sumLogprobs > beams[$1].sumLogprobs : $0 > $1
        }
        return finished + unfinished.prefix(size - finished.count).map { beams[$0] }
    }

    private struct Successor {
        let source: Int
        let token: Int
        let logprob: Float
        /// Sum of the log probabilities up to and including this token.
        package let score: Float
    }

    private func successors(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> [Successor] {
        var successors: [Successor] = []
        successors.reserveCapacity(beams.count * width)
        for (source, beam) in beams.enumerated() {
            for token in probabilities[source].greatest {
                let logprob = probabilities[source](logits[source][token])
                successors.append(
                    Successor(source: source, token: token, logprob: logprob, score: beam.sumLogprobs + logprob))
            }
        }
        return successors
    }

    /// In descending order of score; equal scores keep their order.
    private func ranked(_ successors: [Successor]) -> [Successor] {
        let order = successors.indices.sorted {
            successors[$0].score != successors[$1].score ? successors[$0].score > successors[$1].score : $0 < $1
        }
        return order.map { successors[$0] }
    }
}
