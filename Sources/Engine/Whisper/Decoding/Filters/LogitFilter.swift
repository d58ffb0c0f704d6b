package import EngineModels

/// A rule about which tokens may come next. It lowers logits, usually to -infinity.
package protocol LogitFilter: Sendable {
    /// Changes the logits of one hypothesis.
    ///
    /// - Parameters:
    ///   - logits: one score per id of the vocabulary, already changed by the filters before this one.
    ///   - sampled: ids that the hypothesis has generated in this window; empty at the first step.
    func apply(to logits: inout [Float], sampled: [Int])

    /// Changes the logits and measures them, for a filter that has to scan all of them anyway.
    ///
    /// - Parameter count: how many of the greatest logits to find.
    func survey(_ logits: inout [Float], sampled: [Int], greatest count: Int) -> LogProbabilities

    /// Ids that the filter suppresses at every step.
    var alwaysSuppressed: [Int] { get }
    /// Whether the filter reads or changes logits of individual text ids other than `alwaysSuppressed`, and so needs all
    /// of them after the first step. Filters that suppress whole ranges, or compare a range with the greatest logits, do
    /// not.
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
    /// Applies all filters in order in one pass over the vocabulary: only the last, the timestamp rules, compares tokens.
    func survey(_ logits: inout [Float], sampled: [Int], greatest count: Int) -> LogProbabilities {
        for filter in dropLast() { filter.apply(to: &logits, sampled: sampled) }
        return last?.survey(&logits, sampled: sampled, greatest: count) ?? LogProbabilities(logits, greatest: count)
    }

    /// The filters for some options in the order in which they are applied: repetition penalty, n-grams, blank, tokens,
    /// timestamps.
    ///
    /// - Parameters:
    ///   - blank: ids of the text " ".
    ///   - nonSpeechTokens: ids that -1 in `suppressTokens` stands for.
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
