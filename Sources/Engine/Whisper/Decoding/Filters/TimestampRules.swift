import EngineCompute

/// The timestamp rules: timestamps enclose text in pairs, never run backwards, and are forced when their total
/// probability exceeds that of every text token.
package struct TimestampRules: LogitFilter {
    /// Seconds from one timestamp to the next.
    private static let step = 0.02

    private let endOfText: Int
    private let noTimestamps: Int
    private let firstTimestamp: Int
    /// Greatest id that may be the first token of a window.
    private let lastInitialTimestamp: Int?

    /// - Parameter maxInitialTimestamp: latest first timestamp in seconds, not negative; `nil` or 0 is no limit.
    package init(specials: SpecialTokens, maxInitialTimestamp: Double?) {
        guard let seconds = maxInitialTimestamp, seconds != 0 else {
            self.init(specials: specials, lastInitialIndex: nil)
            return
        }
        let steps = (seconds / Self.step).rounded(.toNearestOrEven)
        self.init(specials: specials, lastInitialIndex: Int(min(steps, Double(specials.vocabularySize))))
    }

    /// - Parameter lastInitialIndex: latest first timestamp in steps of 0.02 s, not negative; `nil` is no limit.
    package init(specials: SpecialTokens, lastInitialIndex: Int?) {
        endOfText = specials.endOfText
        noTimestamps = specials.noTimestamps
        firstTimestamp = specials.firstTimestamp
        lastInitialTimestamp = lastInitialIndex.map { specials.firstTimestamp + $0 }
    }

    package var needsEveryLogit: Bool { false }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        _ = survey(&logits, sampled: sampled, greatest: 0)
    }

    package func survey(_ logits: inout [Float], sampled: [Int], greatest count: Int) -> LogProbabilities {
        let end = logits.count
        logits[noTimestamps] = -.infinity
        if sampled.isEmpty {
            suppress(0..<firstTimestamp, in: &logits)
            if let last = lastInitialTimestamp, last + 1 < end { suppress((last + 1)..<end, in: &logits) }
        } else {
            applyOrder(to: &logits, sampled: sampled)
        }

        // Comparing logits is enough: both sides lack the same normalization constant.
        let text = LogProbabilities(logits, in: 0..<firstTimestamp, greatest: count)
        let timestamps = LogProbabilities(logits, in: firstTimestamp..<end, greatest: count)
        if timestamps.logSumOfExponentials > Double(text.maximum) {
            suppress(0..<firstTimestamp, in: &logits)
            // With fewer timestamps than requested the rest is filled up with impossible tokens.
            if timestamps.greatest.count == min(count, end) { return timestamps }
            return LogProbabilities(logits, greatest: count)
        }
        return text.joined(with: timestamps, of: logits, greatest: count)
    }

    private func applyOrder(to logits: inout [Float], sampled: [Int]) {
        let endsInTimestamp = sampled[sampled.count - 1] >= firstTimestamp
        let endsInPair = endsInTimestamp && (sampled.count < 2 || sampled[sampled.count - 2] >= firstTimestamp)
        if endsInPair {
            suppress(firstTimestamp..<logits.count, in: &logits)
        } else if endsInTimestamp {
            suppress(0..<endOfText, in: &logits)
        }
        guard let latest = sampled.last(where: { $0 >= firstTimestamp }) else { return }
        // A segment may start where the previous one ended, but may not end where it starts.
        let earliest = endsInTimestamp && !endsInPair ? latest : latest + 1
        suppress(firstTimestamp..<min(earliest, logits.count), in: &logits)
    }

    private func suppress(_ ids: Range<Int>, in logits: inout [Float]) {
        LogitKernels.fill(&logits, in: ids, with: -.infinity)
    }
}
