import EngineCompute
package import EngineVocabulary

/// Beam search: extends the most likely hypotheses in parallel and collects those that finish.
///
/// The reference starts with `size` equal beams and merges their equal successors. This search starts with a single
/// beam, which has the same successors; since these differ from each other, so do all sequences that follow. No sequence
/// can occur twice, so a list replaces the reference's map from sequence to score.
///
/// With terms, the score of a token that begins or continues one is its log probability plus a bonus. What an unfinished
/// term has gathered is taken from every token that leaves it; a finished term keeps it.
package struct BeamSearch: TokenSearch {
    /// Chosen with 120 recordings and tiny.en (docs/vocabulary.md).
    package static let bonus = TermBonus(first: 2.5, later: 2.5, kept: 2.5)

    private let size: Int
    /// Number of finished hypotheses at which the search stops.
    private let maxCandidates: Int
    private let endOfText: Int
    private let terms: TermTrie?
    /// Best first.
    private var beams: [Hypothesis] = [Hypothesis()]
    /// Those of the beams, if there are terms.
    private var places: [TermTrie.Place]
    /// In the order in which they finished, those of the same step best first.
    private var finished: [Hypothesis] = []

    package private(set) var sources: [Int] = []

    /// - Parameters:
    ///   - size: number of beams, at least 1.
    ///   - patience: the search stops after round(`size` · `patience`) finished hypotheses.
    ///   - terms: those to prefer.
    ///   - start: the place in them after the tokens that the text is forced to begin with.
    package init(
        size: Int, patience: Double = 1, endOfText: Int, terms: TermTrie? = nil,
        from start: TermTrie.Place = TermTrie.Place()
    ) {
        precondition(size > 0, "\(size) beams")
        self.size = size
        self.endOfText = endOfText
        self.terms = terms
        places = terms == nil ? [] : [start]
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
        var nextPlaces: [TermTrie.Place] = []
        sources.removeAll(keepingCapacity: true)
        // Hypotheses that finish below the last beam kept are dropped, as in the reference.
        for successor in successors {
            var hypothesis = beams[successor.source]
            hypothesis.sumLogprobs = successor.sumLogprobs
            hypothesis.bonus = successor.bonus
            if successor.token == endOfText {
                if finished.count < maxCandidates { finished.append(hypothesis) }
            } else {
                hypothesis.tokens.append(successor.token)
                hypothesis.logprobs.append(successor.logprob)
                next.append(hypothesis)
                sources.append(successor.source)
                if let terms {
                    nextPlaces.append(
                        successor.place
                            ?? terms.place(after: places[successor.source], token: successor.token, bonus: Self.bonus))
                }
                if next.count == size { break }
            }
        }
        beams = next
        places = nextPlaces
        return !isComplete
    }

    /// The finished hypotheses, filled up to `size` with the best unfinished ones.
    package func candidates() -> [Hypothesis] {
        guard finished.count < size else { return finished }
        var beams = beams
        for (index, place) in places.enumerated() { beams[index].bonus = place.kept }
        // On ties the later beam comes first: the reference sorts in ascending order and reads backwards.
        let unfinished = beams.indices.sorted {
            beams[$0].score != beams[$1].score ? beams[$0].score > beams[$1].score : $0 > $1
        }
        return finished + unfinished.prefix(size - finished.count).map { beams[$0] }
    }

    private struct Successor {
        let source: Int
        let token: Int
        let logprob: Float
        /// Sum of the log probabilities up to and including this token.
        let sumLogprobs: Float
        /// Sum of the bonuses.
        let bonus: Float
        /// The place after it, if it begins or continues a term.
        let place: TermTrie.Place?
        var score: Float { sumLogprobs + bonus }
    }

    private func successors(by logits: [[Float]], _ probabilities: [LogProbabilities]) -> [Successor] {
        var successors: [Successor] = []
        successors.reserveCapacity(beams.count * width)
        for (source, beam) in beams.enumerated() {
            func add(_ token: Int, bonus: Float, place: TermTrie.Place? = nil) {
                let logprob = probabilities[source](logits[source][token])
                successors.append(
                    Successor(
                        source: source, token: token, logprob: logprob, sumLogprobs: beam.sumLogprobs + logprob,
                        bonus: bonus, place: place))
            }
            let greatest = probabilities[source].greatest
            guard let terms, let last = greatest.last else {
                for token in greatest { add(token, bonus: beam.bonus) }
                continue
            }
            // All of the greatest surpass the other tokens, even with their bonuses.
            let place = places[source]
            let steps = terms.steps(
                at: place, scores: logits[source], bonus: Self.bonus, above: logits[source][last])
            for step in steps {
                let next = terms.place(after: place, token: step.token, bonus: Self.bonus)
                add(step.token, bonus: next.kept + next.pending, place: next)
            }
            for token in greatest where !steps.contains(where: { $0.token == token }) {
                add(token, bonus: place.kept)
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
