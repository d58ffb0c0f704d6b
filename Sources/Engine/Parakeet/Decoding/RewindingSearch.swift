import EngineCompute
package import EngineVocabulary
import Glibc

/// Greedy search of a transducer that prefers the tokens of terms, and takes them back if that was wrong.
///
/// A token gets a bonus if it begins or continues a term. The blank stays where the network prefers it, as in NeMo's greedy
/// search, so that a term is only heard where something is. If a later token leaves the term unfinished, if it is not
/// finished in time, or if the finished term is much less likely than what the search would have chosen without it, the
/// search goes back to the first of its tokens that was chosen only because of the bonus, and chooses the next best there.
/// Log probabilities are those without bonuses.
package struct RewindingSearch {
    /// Not measured yet: near those of NeMo's and Moonshine's searches.
    package static let bonus = TermBonus(first: 2, later: 4, kept: 2)
    /// The most frames in which a term is finished, 3.2 s. A stream waits as long for its end.
    package static let longestTerm = TransducerNetwork.mostKept

    /// A token of a term that is not finished, and the search before it.
    private struct Choice {
        let moment: Moment
        /// The number of tokens of this part before it.
        let count: Int
        /// Only kept as long as there are others.
        let state: Int
        let duration: Int?
        /// What was not tried yet, in the order in which it is to be; empty for the likeliest token.
        let others: [TermTrie.Option]
        let deficit: Float
    }

    /// Where a search is in the audio and in its terms.
    private struct Moment {
        var place = TermTrie.Place()
        var frame = 0
        /// Tokens so far at this frame.
        var here = 0
    }

    private let dimensions: ParakeetDimensions
    /// Those to prefer. To be set before a stream starts.
    package var terms: TermTrie?
    private var moment = Moment()
    /// The tokens since the last finished term, if they begin another.
    private var choices: [Choice] = []
    /// The tokens of this part.
    private var tokens: [ParakeetToken] = []
    /// What the network knows of all tokens; `nil` at the start of a stream.
    private var state: Int?
    private var idle: [Int] = []
    /// The number of frames that have been heard.
    private var heard = 0
    private var scores: [Float] = []
    private var best: [Int] = []

    package init(_ dimensions: ParakeetDimensions, terms: TermTrie? = nil) {
        self.dimensions = dimensions
        self.terms = terms
    }

    /// Begins a stream.
    package mutating func start() {
        drop(from: 0)
        if let state { idle.append(state) }
        state = nil
        moment = Moment()
        heard = 0
    }

    /// The number of frames that have been decoded.
    package var settled: Int { heard - kept }

    /// The number of frames, the last that were heard, with which the next part begins. The search waits there for the end
    /// of a term.
    package var kept: Int { max(0, heard - moment.frame) }

    /// Searches the next part of a stream that the network has heard. Tokens are those of the whole stream, whatever the
    /// parts.
    ///
    /// - Parameters:
    ///   - frames: those of the part that are new.
    ///   - network: the same in all calls. Its first frame is the first of those kept.
    ///   - isLast: whether the stream ends with the part.
    ///   - onStep: receives the ids of the tokens so far after each step; throws to stop.
    package mutating func tokens(
        frames: Int, _ network: any Transducer, isLast: Bool, onStep: ([Int]) throws -> Void = { _ in }
    ) throws -> [ParakeetToken] {
        guard let terms else { preconditionFailure("a search without terms") }
        let first = heard - kept
        heard += frames
        tokens = []
        if state == nil {
            let start = try idle.popLast() ?? network.addState()
            network.predict(dimensions.blank, after: nil, into: start)
            state = start
        }
        while true {
            let open = choices.first { !$0.others.isEmpty }
            if let open, moment.frame - open.moment.frame >= Self.longestTerm || isLast && moment.frame >= heard {
                _ = try rewind(choices.count, terms, network)
            } else if moment.frame < heard {
                try step(at: moment.frame - first, terms, network)
            } else {
                break
            }
            try onStep(tokens.map(\.id))
        }
        wait()
        return tokens
    }

    /// Goes back to before a term that is not finished, so that the next part decides about it.
    private mutating func wait() {
        guard let index = choices.firstIndex(where: { !$0.others.isEmpty }) else { return }
        restore(index)
    }

    private mutating func step(at frame: Int, _ terms: TermTrie, _ network: any Transducer) throws {
        guard let state else { return }
        network.scores(at: frame, after: [state], into: &scores)
        let (maximum, sum) = LogitKernels.survey(of: scores, in: 0..<dimensions.choices, greatest: 1, into: &best)
        let likeliest = best[0], logSum = log(sum), duration = likeliestDuration()
        if likeliest == dimensions.blank { return advance(by: max(1, duration ?? 0)) }
        let options = terms.options(
            at: moment.place, scores: scores, likeliest: likeliest, bonus: Self.bonus,
            logprob: { Float(Double($0 - maximum) - logSum) })
        if terms.breaks(moment.place, token: options[0].token),
            try rewind(moment.place.unfinished, terms, network)
        {
            return
        }
        try append(options, duration: duration, terms, network)
    }

    /// The best number of frames to advance, which only TDT models know.
    private mutating func likeliestDuration() -> Int? {
        guard case .tdt(let durations) = dimensions.head else { return nil }
        _ = LogitKernels.survey(
            of: scores, in: dimensions.choices..<dimensions.jointOutputs, greatest: 1, into: &best)
        return durations[best[0] - dimensions.choices]
    }

    private mutating func advance(by frames: Int) {
        if frames > 0 { moment.here = 0 }
        moment.frame += frames
    }

    private mutating func append(
        _ options: [TermTrie.Option], duration: Int?, _ terms: TermTrie, _ network: any Transducer
    ) throws {
        guard let last = state else { return }
        let option = options[0], before = moment
        let next = options.count == 1 ? last : try idle.popLast() ?? network.addState()
        network.predict(option.token, after: last, into: next)
        state = next
        choices.append(
            Choice(
                moment: before, count: tokens.count, state: last, duration: duration,
                others: Array(options.dropFirst()), deficit: option.deficit))
        tokens.append(
            ParakeetToken(
                id: option.token, start: before.frame, end: before.frame + (duration ?? 1), logprob: option.logprob))
        moment.place = terms.place(after: before.place, token: option.token, bonus: Self.bonus)
        moment.here += 1
        let frames = duration ?? 0
        advance(by: frames == 0 && moment.here == dimensions.maxSymbols ? 1 : frames)

        // Whether a finished term is likely enough.
        let earned = moment.place.kept - before.place.kept, length = before.place.unfinished + 1
        let deficit = choices.suffix(length).reduce(0) { $0 + $1.deficit }
        if moment.place.unfinished == 0, earned > 0, deficit > earned, try rewind(length, terms, network) { return }
        // Tokens of a term that another seemed to follow are no longer there; they have no others.
        let settled = max(0, choices.count - moment.place.unfinished)
        for choice in choices.prefix(settled) where !choice.others.isEmpty { idle.append(choice.state) }
        choices.removeFirst(settled)
    }

    /// Replaces the first of the last `length` choices that was made because of its bonus, if there is one, and drops those
    /// after it.
    private mutating func rewind(_ length: Int, _ terms: TermTrie, _ network: any Transducer) throws -> Bool {
        let last = choices.indices.suffix(length)
        guard let index = last.first(where: { !choices[$0].others.isEmpty }) else { return false }
        let choice = choices[index]
        restore(index)
        try append(choice.others, duration: choice.duration, terms, network)
        return true
    }

    /// Returns to the moment before a choice that has others.
    private mutating func restore(_ index: Int) {
        let choice = choices[index]
        drop(from: index + 1)
        choices.removeLast()
        if let state { idle.append(state) }
        state = choice.state
        moment = choice.moment
        tokens.removeLast(tokens.count - choice.count)
    }

    private mutating func drop(from index: Int) {
        for choice in choices[index...] where !choice.others.isEmpty { idle.append(choice.state) }
        choices.removeLast(choices.count - index)
    }
}
