import EngineCompute
package import EngineVocabulary
import Glibc

/// Finds a text of a transducer that is at least nearly the most probable one.
///
/// A decoder at a frame draws a token or the blank, and with TDT independently a duration; it advances by that, a blank
/// by at least one frame, and so does the last of `maxSymbols` tokens at a frame. The probability of a text is the sum
/// over all ways to draw it.
///
/// The search keeps beams, pairs of text and frame. Those at the earliest frame are extended by the blank and by their
/// `size` best tokens, each with all durations; equal pairs add up. Of the beams at each later frame the `size` best
/// remain, and of those still at the same frame as many as belong to the `size` best of all. So beams wait until their
/// frame is reached, as in the modified adaptive expansion search (Kim et al., "Accelerating RNN Transducer Inference via
/// Adaptive Expansion Search", 2020), and only those that have heard the same audio compete. TDT is that of Xu et al.,
/// "Efficient Sequence Transduction by Jointly Predicting Tokens and Durations", 2023.
///
/// On ties, the better of the beams that were extended comes first, then the lower id, then the blank.
///
/// With terms, the tokens that begin or continue one are tried, too, where a bonus makes them as good as the others, and
/// beams are compared by their log probability plus the bonuses of their text. An unfinished term loses what it has gathered
/// with the token that leaves it, or at the end of the audio; a finished term keeps it.
package struct BeamSearch {
    /// Not measured yet: that of sherpa-onnx, whose search is of this kind.
    package static let bonus = TermBonus(first: 1.5, later: 1.5, kept: 1.5)

    /// A text that was found, and its probability's natural logarithm.
    package struct Candidate: Hashable, Sendable {
        /// With the places and probabilities of its likeliest way.
        package let tokens: [ParakeetToken]
        package let logprob: Double
    }

    private struct Place: Hashable {
        let ending: TextEnding
        let frame: Int
    }

    private struct Beam {
        /// The number of its text, and the frame that it has reached.
        let text: Int
        let frame: Int
        let logprob: Double
        /// That of its text.
        var bonus: Double
        /// The last token of the likeliest way, in `heard`.
        let last: Int?
        var score: Double { logprob + bonus }
    }

    /// A beam with a token or the blank more, or one that waits for its frame.
    private struct Successor {
        /// Of the beam before, in `beams`.
        let source: Int
        /// The blank if the text stays the same.
        let token: Int
        let tokenLogprob: Float
        let duration: Int
        let frame: Int
        var logprob: Double
        let bonus: Double
        var score: Double { logprob + bonus }
    }

    /// Those to prefer.
    package var terms: TermTrie?
    private let dimensions: ParakeetDimensions
    private let size: Int
    private let hasDurations: Bool
    /// Frames to advance, with the logarithms of their probabilities at a step; RNN-T always draws 0.
    private let durations: [Int]
    private var durationLogprobs: [Double]
    /// In descending order of score.
    private var beams: [Beam] = []
    private var texts = TextTree()
    /// Those of the texts in the terms, if there are any.
    private var termPlaces: [TermTrie.Place] = []
    /// Tokens of all ways, each with the one before it.
    private var heard: [(token: ParakeetToken, before: Int?)] = []

    // Memory for a step.
    private var found: [Successor] = []
    private var merged: [Successor] = []
    private var places: [Place: Int] = [:]
    private var waiting: [Int: Int] = [:]
    private var next: [Beam] = []
    private var states: [Int] = []
    private var scores: [Float] = []
    private var best: [Int] = []

    /// - Parameters:
    ///   - size: the number of beams, at least 1.
    ///   - terms: those to prefer.
    package init(_ dimensions: ParakeetDimensions, size: Int, terms: TermTrie? = nil) {
        precondition(size > 0, "\(size) beams")
        self.dimensions = dimensions
        self.size = size
        self.terms = terms
        if case .tdt(let durations) = dimensions.head {
            (self.durations, hasDurations) = (durations, true)
        } else {
            (durations, hasDurations) = ([0], false)
        }
        durationLogprobs = durations.map { _ in 0 }
    }

    /// Searches a piece of audio that the network has heard.
    ///
    /// - Parameters:
    ///   - frames: of the encoder.
    ///   - network: the same in all calls.
    ///   - onStep: receives the ids of the best text so far after each step; throws to stop.
    /// - Returns: the most probable text.
    package mutating func tokens(
        frames: Int, _ network: any Transducer, onStep: ([Int]) throws -> Void = { _ in }
    ) throws -> [ParakeetToken] {
        texts.removeAll(blank: dimensions.blank)
        heard.removeAll(keepingCapacity: true)
        termPlaces = terms == nil ? [] : [TermTrie.Place()]
        beams = [Beam(text: TextTree.empty, frame: 0, logprob: 0, bonus: 0, last: nil)]
        // Tokens at this frame, with the next.
        var here = 0, last = 0
        while let frame = beams.min(by: { $0.frame < $1.frame })?.frame, frame < frames {
            here = frame == last ? here + 1 : 1
            last = frame
            try extend(at: frame, of: frames, mustAdvance: here == dimensions.maxSymbols, network)
            merge()
            prune(at: frame)
            try onStep(way(of: beams[0]).map(\.id))
        }
        if terms != nil { loseUnfinishedTerms() }
        return way(of: beams[0])
    }

    private mutating func loseUnfinishedTerms() {
        for index in beams.indices { beams[index].bonus = Double(termPlaces[beams[index].text].kept) }
        let order = beams.indices.sorted {
            beams[$0].score != beams[$1].score ? beams[$0].score > beams[$1].score : $0 < $1
        }
        beams = order.map { beams[$0] }
    }

    /// The texts of the last search, the one with the greatest score first.
    package var candidates: [Candidate] { beams.map { Candidate(tokens: way(of: $0), logprob: $0.logprob) } }

    private func way(of beam: Beam) -> [ParakeetToken] {
        var tokens: [ParakeetToken] = [], last = beam.last
        while let index = last {
            tokens.append(heard[index].token)
            last = heard[index].before
        }
        return tokens.reversed()
    }

    /// Finds what follows the beams at a frame.
    private mutating func extend(at frame: Int, of frames: Int, mustAdvance: Bool, _ network: any Transducer) throws {
        found.removeAll(keepingCapacity: true)
        states.removeAll(keepingCapacity: true)
        for beam in beams where beam.frame == frame { states.append(try texts.state(after: beam.text, network)) }
        network.scores(at: frame, after: states, into: &scores)
        var row = 0
        for (source, beam) in beams.enumerated() {
            if beam.frame == frame {
                extend(source, row: row, of: frames, mustAdvance: mustAdvance)
                row += 1
            } else {
                found.append(
                    Successor(
                        source: source, token: dimensions.blank, tokenLogprob: 0, duration: 0, frame: beam.frame,
                        logprob: beam.logprob, bonus: beam.bonus))
            }
        }
    }

    private mutating func extend(_ source: Int, row: Int, of frames: Int, mustAdvance: Bool) {
        let first = row * dimensions.jointOutputs, end = first + dimensions.choices, blank = first + dimensions.blank
        if hasDurations {
            let sum = logSum(end..<(end + durations.count))
            for index in durations.indices { durationLogprobs[index] = Double(scores[end + index]) - sum }
        }
        // One more than `size`, because the blank may be among them.
        let sum = logSum(first..<end, greatest: size + 1), beam = beams[source]
        best.removeAll { $0 == blank }
        if best.count > size { best.removeLast() }
        if let terms, let last = best.last {
            // All of the best surpass the other tokens, even with their bonuses.
            let steps = terms.steps(
                at: termPlaces[beam.text], scores: scores, from: first, bonus: Self.bonus, above: scores[last])
            for step in steps where !best.contains(first + step.token) { best.append(first + step.token) }
        }
        best.append(blank)
        for index in best {
            let logprob = Double(scores[index]) - sum
            let bonus = index == blank ? beam.bonus : self.bonus(after: beam.text, token: index - first)
            for (duration, durationLogprob) in zip(durations, durationLogprobs) {
                let advance = duration == 0 && (index == blank || mustAdvance) ? 1 : duration
                found.append(
                    Successor(
                        source: source, token: index - first, tokenLogprob: Float(logprob), duration: duration,
                        frame: min(beam.frame + advance, frames), logprob: beam.logprob + logprob + durationLogprob,
                        bonus: bonus))
            }
        }
    }

    /// The bonus of a text with a token more.
    private func bonus(after text: Int, token: Int) -> Double {
        guard let terms else { return 0 }
        let place = terms.place(after: termPlaces[text], token: token, bonus: Self.bonus)
        return Double(place.kept + place.pending)
    }

    /// The logarithm of the sum of the exponentials of scores, whose greatest are `best`.
    private mutating func logSum(_ range: Range<Int>, greatest count: Int = 0) -> Double {
        let (maximum, sum) = LogitKernels.survey(of: scores, in: range, greatest: count, into: &best)
        return Double(maximum) + log(sum)
    }

    /// Adds up the probabilities of what was found at the same place.
    private mutating func merge() {
        found.sort { $0.score > $1.score }
        places.removeAll(keepingCapacity: true)
        merged.removeAll(keepingCapacity: true)
        for successor in found {
            let place = Place(ending: ending(of: successor), frame: successor.frame)
            if let index = places[place] {
                let more = successor.logprob - merged[index].logprob
                merged[index].logprob += more > 0 ? more + log1p(exp(-more)) : log1p(exp(more))
            } else {
                places[place] = merged.count
                merged.append(successor)
            }
        }
        merged.sort { $0.score > $1.score }
    }

    private func ending(of successor: Successor) -> TextEnding {
        let text = beams[successor.source].text
        return successor.token == dimensions.blank ? texts[text] : TextEnding(text: text, token: successor.token)
    }

    /// Keeps the best beams.
    private mutating func prune(at frame: Int) {
        waiting.removeAll(keepingCapacity: true)
        next.removeAll(keepingCapacity: true)
        for (rank, successor) in merged.enumerated() {
            if successor.frame == frame {
                if rank >= size { continue }
            } else {
                let others = waiting[successor.frame, default: 0]
                if others == size { continue }
                waiting[successor.frame] = others + 1
            }
            next.append(beam(successor))
        }
        swap(&beams, &next)
        texts.keepStates(for: beams.map(\.text))
    }

    private mutating func beam(_ successor: Successor) -> Beam {
        let source = beams[successor.source]
        var last = source.last
        if successor.token != dimensions.blank {
            let end = source.frame + (hasDurations ? successor.duration : 1)
            let token = ParakeetToken(
                id: successor.token, start: source.frame, end: end, logprob: successor.tokenLogprob)
            heard.append((token, last))
            last = heard.count - 1
        }
        let text = texts.number(of: ending(of: successor))
        if let terms, text == termPlaces.count {
            termPlaces.append(
                terms.place(after: termPlaces[source.text], token: successor.token, bonus: Self.bonus))
        }
        return Beam(
            text: text, frame: successor.frame, logprob: successor.logprob, bonus: successor.bonus, last: last)
    }
}
