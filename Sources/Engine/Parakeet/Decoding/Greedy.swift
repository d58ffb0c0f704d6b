package import EngineCompute
import Glibc

/// The most probable token at each step.
package struct GreedySearch {
    /// A step of a transducer: what was chosen at a frame, and how many frames it advanced.
    package struct Step: Hashable, Sendable {
        package let id: Int
        package let advance: Int
    }

    private let dimensions: ParakeetDimensions
    private var scores: [Float] = []
    private var best: [Int] = []

    package init(_ dimensions: ParakeetDimensions) { self.dimensions = dimensions }

    /// The best token among the scores, the lowest id if there are several, and the logarithm of its probability.
    private mutating func choose() -> (id: Int, logprob: Float) {
        let sum = LogitKernels.survey(
            of: scores, in: 0..<dimensions.choices, greatest: 1, into: &best
        ).sum
        return (best[0], -Float(log(sum)))
    }

    /// The best number of frames to advance, which only TDT models know.
    private mutating func chooseDuration() -> Int? {
        guard case .tdt(let durations) = dimensions.head else { return nil }
        let all = dimensions.choices..<scores.count
        _ = LogitKernels.survey(of: scores, in: all, greatest: 1, into: &best)
        return durations[best[0] - dimensions.choices]
    }

    /// Searches a piece of audio with a transducer.
    ///
    /// - Parameters:
    ///   - encoded: the encoder's output.
    ///   - onStep: receives each step; throws to stop.
    package mutating func tokens(
        of encoded: TensorView, _ network: TransducerNetwork, onStep: (Step) throws -> Void = { _ in }
    ) throws -> [ParakeetToken] {
        var place = SearchPlace(network, blank: dimensions.blank, state: try network.makeState())
        return try tokens(of: encoded, network, from: &place, onStep: onStep)
    }

    /// Searches the next part of a stream. Tokens are those of the whole stream, whatever the parts.
    ///
    /// - Parameters:
    ///   - encoded: the encoder's output.
    ///   - place: where the part before ended; updated.
    package mutating func tokens(
        of encoded: TensorView, _ network: TransducerNetwork, from place: inout SearchPlace,
        onStep: (Step) throws -> Void = { _ in }
    ) rethrows -> [ParakeetToken] {
        network.hear(encoded)
        let first = place.heard, end = first + encoded.rows, state = place.state
        place.heard = end
        var tokens: [ParakeetToken] = []
        while place.frame < end {
            let frame = place.frame
            network.scores(at: frame - first, after: state, into: &scores)
            let (id, logprob) = choose(), duration = chooseDuration()
            var advance = duration ?? 0
            if id == dimensions.blank {
                advance = max(1, advance)
            } else {
                tokens.append(
                    ParakeetToken(id: id, start: frame, end: frame + (duration ?? 1), logprob: logprob))
                network.predict(id, after: state, into: state)
                place.here += 1
                if advance == 0, place.here == dimensions.maxSymbols { advance = 1 }
            }
            if advance > 0 { place.here = 0 }
            place.frame += advance
            try onStep(Step(id: id, advance: advance))
        }
        return tokens
    }

    /// Searches a piece of audio with CTC: a run of frames with the same token is one token.
    package mutating func tokens(of encoded: TensorView, _ network: CTCNetwork) throws -> [ParakeetToken] {
        var tokens: [ParakeetToken] = [], last = dimensions.blank
        network.hear(encoded)
        for frame in 0..<encoded.rows {
            network.scores(at: frame, into: &scores)
            let (id, logprob) = choose()
            if id == dimensions.blank {
            } else if id == last {
                tokens[tokens.count - 1].end = frame + 1
            } else {
                tokens.append(ParakeetToken(id: id, start: frame, end: frame + 1, logprob: logprob))
            }
            last = id
        }
        return tokens
    }
}

/// Where a transducer's search is in a stream, and what it knows of it.
package struct SearchPlace {
    fileprivate let state: PredictionState
    /// The number of frames that have been heard.
    package fileprivate(set) var heard = 0
    /// The next frame; a duration may lead beyond those heard.
    fileprivate var frame = 0
    /// Tokens so far at this frame.
    fileprivate var here = 0

    /// The start of a stream.
    ///
    /// - Parameter state: overwritten.
    package init(_ network: TransducerNetwork, blank: Int, state: PredictionState) {
        self.state = state
        network.predict(blank, after: nil, into: state)
    }
}
