package import EngineModels
package import EngineTranscripts

/// Decodes a window again at higher temperatures while its text is repetitive or improbable.
package struct TemperatureFallback: Hashable, Sendable {
    /// Tried in order; the result of the last one is always accepted.
    package var temperatures: [Double]
    /// A result with a greater compression ratio is rejected; `nil` turns the test off.
    package var compressionRatioThreshold: Double?
    /// A result with a lower mean log probability is rejected; `nil` turns the test off.
    package var logprobThreshold: Double?
    /// An improbable result with a greater no-speech probability counts as silence and is accepted; `nil` turns the
    /// test off.
    package var noSpeechThreshold: Double?
    /// A result that exceeds it is rejected; `nil` turns the test off.
    package var repetitionLimit: RepetitionLimit?

    package init(
        temperatures: [Double], compressionRatioThreshold: Double?, logprobThreshold: Double?,
        noSpeechThreshold: Double?, repetitionLimit: RepetitionLimit? = nil
    ) {
        self.temperatures = temperatures
        self.compressionRatioThreshold = compressionRatioThreshold
        self.logprobThreshold = logprobThreshold
        self.noSpeechThreshold = noSpeechThreshold
        self.repetitionLimit = repetitionLimit
    }

    /// Returns the first result that passes the tests, or else the last one.
    ///
    /// - Parameters:
    ///   - options: their temperature is ignored unless `temperatures` is empty. They may contain the options of both
    ///     searches: `DecodingOptions.at(temperature:)` removes those that do not apply.
    ///   - attempt: one decoding pass.
    ///   - retried: called for each result that is discarded.
    package func decode(
        options: DecodingOptions, attempt: (DecodingOptions) throws -> DecodingResult,
        retried: (DecodingRetry) -> Void = { _ in }
    ) throws -> DecodingResult {
        var temperature = temperatures.first ?? options.temperature
        var result = try attempt(options.at(temperature: temperature))
        for next in temperatures.dropFirst() {
            guard let reason = failure(of: result) else { break }
            retried(DecodingRetry(failedTemperature: temperature, temperature: next, reason: reason))
            result = try attempt(options.at(temperature: next))
            temperature = next
        }
        return result
    }

    /// Returns why a result is rejected, or `nil` if it is accepted.
    package func failure(of result: DecodingResult) -> DecodingRetry.Reason? {
        let isImprobable = logprobThreshold.map { result.avgLogprob < $0 } ?? false
        let isSilence = noSpeechThreshold.map { result.noSpeechProb > $0 } ?? false
        if isSilence && isImprobable { return nil }
        if let threshold = compressionRatioThreshold, result.compressionRatio > threshold {
            return .repetitive(compressionRatio: result.compressionRatio)
        }
        if let times = repetitionLimit?.excess(in: result.tokens) { return .looping(times: times) }
        return isImprobable ? .improbable(avgLogprob: result.avgLogprob) : nil
    }
}

/// How often a run of tokens may repeat before the text counts as a loop.
///
/// The compression ratio misses loops of a few words in a short text.
package struct RepetitionLimit: Hashable, Sendable {
    /// A run of tokens that occurs this many times in a row is a loop.
    package let times: Int
    /// Ids from here on are not text.
    package let endOfText: Int

    package init(times: Int, endOfText: Int) {
        self.times = times
        self.endOfText = endOfText
    }

    /// Returns the greatest number of times that any run of tokens repeats in a row, or `nil` if it is within the limit.
    ///
    /// - Parameter tokens: timestamps are skipped.
    package func excess(in tokens: [Int]) -> Int? {
        let text = tokens.filter { $0 < endOfText }
        guard times > 1, text.count >= times else { return nil }
        var maximum = 1
        for length in 1...(text.count / times) {
            var equal = 0
            for index in length..<text.count {
                equal = text[index] == text[index - length] ? equal + 1 : 0
                maximum = max(maximum, equal / length + 1)
            }
        }
        return maximum >= times ? maximum : nil
    }
}
