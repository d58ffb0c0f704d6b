/// Decodes a window again at a higher temperature while its text repeats itself or is improbable.
package struct TemperatureFallback: Hashable, Sendable {
    /// Tried in turn; the last one's result stands.
    package var temperatures: [Double]
    /// A greater ratio of text to compressed text fails; `nil` is no test.
    package var compressionRatioThreshold: Double?
    /// A smaller mean log probability fails; `nil` is no test.
    package var logprobThreshold: Double?
    /// Above it an improbable text is silence, which no temperature makes better; `nil` is no test.
    package var noSpeechThreshold: Double?
    /// A text that repeats a run of tokens so often fails; `nil` is no test.
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

    /// The first result that passes the tests, else the last.
    ///
    /// - Parameters:
    ///   - options: without regard to their temperature, unless `temperatures` is empty. Above temperature 0 they
    ///     lose beams and patience, at 0 `bestOf`, so that options may hold all of them.
    ///   - attempt: one decoding pass.
    ///   - retried: told of each result that is thrown away.
    package func decode(
        options: DecodingOptions, attempt: (DecodingOptions) throws -> DecodingResult,
        retried: (DecodingRetry) -> Void = { _ in }
    ) throws -> DecodingResult {
        var result = try attempt(options.at(temperature: temperatures.first ?? options.temperature))
        var tried = temperatures.first ?? options.temperature
        for next in temperatures.dropFirst() {
            guard let reason = failure(of: result) else { break }
            retried(DecodingRetry(failedTemperature: tried, temperature: next, reason: reason))
            result = try attempt(options.at(temperature: next))
            tried = next
        }
        return result
    }

    /// Why a result is to be thrown away; `nil` if it is good.
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

extension DecodingOptions {
    fileprivate func at(temperature: Double) -> DecodingOptions {
        var options = self
        options.temperature = temperature
        if temperature > 0 {
            options.beamSize = nil
            options.patience = nil
        } else {
            options.bestOf = nil
        }
        return options
    }
}
