/// A rule about what may come next: it lowers logits, most often to -infinity.
package protocol LogitFilter: Sendable {
    /// Changes one hypothesis' logits.
    ///
    /// - Parameters:
    ///   - logits: one score for each id of the vocabulary, changed by the filters before.
    ///   - sampled: ids the hypothesis has produced in this window; empty at the first step.
    func apply(to logits: inout [Float], sampled: [Int])

    /// Changes the logits and looks at all of them; for a filter that has to look at them anyway.
    ///
    /// - Parameter count: how many of the greatest are wanted.
    func survey(_ logits: inout [Float], sampled: [Int], greatest count: Int) -> LogProbabilities

    /// Ids that it makes impossible at every step.
    var alwaysSuppressed: [Int] { get }
    /// Whether it looks at or changes the logits of single text ids beyond those, so that it needs all of them after
    /// the first step. Filters that suppress whole ranges, or compare a range with the greatest logits, do not.
    var needsEveryLogit: Bool { get }
}

extension LogitFilter {
    package var alwaysSuppressed: [Int] { [] }
    package var needsEveryLogit: Bool { true }

    package func survey(_ logits: inout [Float], sampled: [Int], greatest count: Int) -> LogProbabilities {
        apply(to: &logits, sampled: sampled)
        return LogProbabilities(logits, greatest: count)
    }
}

extension [any LogitFilter] {
    /// All of them in order, with one pass over the vocabulary: only the last, the rules of timestamps, compare tokens.
    func survey(_ logits: inout [Float], sampled: [Int], greatest count: Int) -> LogProbabilities {
        for filter in dropLast() { filter.apply(to: &logits, sampled: sampled) }
        return last?.survey(&logits, sampled: sampled, greatest: count) ?? LogProbabilities(logits, greatest: count)
    }

    /// The filters that the options ask for, in the order they are applied: repetition penalty, n-grams, blank,
    /// tokens, timestamps.
    ///
    /// - Parameters:
    ///   - blank: ids of a text of one space.
    ///   - nonSpeechTokens: what -1 in `suppressTokens` stands for.
    package init(
        for options: DecodingOptions, specials: SpecialTokens, blank: [Int], nonSpeechTokens: [Int]
    ) {
        self = []
        if options.repetitionPenalty != 1 { append(RepetitionPenalty(penalty: Float(options.repetitionPenalty))) }
        if options.noRepeatNgramSize > 0 { append(NoRepeatNgrams(size: options.noRepeatNgramSize)) }
        if options.suppressBlank { append(SuppressBlank(blank: blank, endOfText: specials.endOfText)) }
        if let tokens = options.suppressTokens, !tokens.isEmpty {
            append(SuppressTokens(tokens, nonSpeechTokens: nonSpeechTokens, specials: specials))
        }
        if let count = options.forcedTokenCount {
            append(ForcedLength(count: count, endOfText: specials.endOfText))
        } else if !options.withoutTimestamps {
            append(TimestampRules(specials: specials, maxInitialTimestamp: options.maxInitialTimestamp))
        }
    }
}
