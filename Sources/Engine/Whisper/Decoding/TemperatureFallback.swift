package import EngineModels
package import EngineTranscripts

/// Decodes a window again at higher temperatures while its text is repetitive or improbable.
package struct TemperatureFallback: Hashable, Sendable {
    /// Tried in order; the result of the last one is always accepted.
    package var temperatures: [Double]
    package var judge: TextJudge
    /// Ids from here on are not text.
    package var endOfText: Int

    package init(temperatures: [Double], judge: TextJudge, endOfText: Int) {
        self.temperatures = temperatures
        self.judge = judge
        self.endOfText = endOfText
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
        judge.failure(
            of: result.tokens.filter { $0 < endOfText }, noSpeechProb: result.noSpeechProb,
            avgLogprob: result.avgLogprob, compressionRatio: result.compressionRatio)
    }
}
