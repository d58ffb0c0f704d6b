/// A result that was discarded in favor of another attempt at a higher temperature.
package struct DecodingRetry: Hashable, Sendable {
    /// Why the result was discarded.
    package enum Reason: Hashable, Sendable {
        /// The compression ratio is above the threshold.
        case repetitive(compressionRatio: Double)
        /// The mean log probability is below the threshold.
        case improbable(avgLogprob: Double)
        /// A run of tokens repeats this many times in a row.
        case looping(times: Int)
        /// The window was classified as silence although this share of it, 0…1, is speech.
        case speechDetected(share: Double)
    }

    package let failedTemperature: Double
    /// The next attempt's temperature.
    package let temperature: Double
    package let reason: Reason

    package init(failedTemperature: Double, temperature: Double, reason: Reason) {
        self.failedTemperature = failedTemperature
        self.temperature = temperature
        self.reason = reason
    }
}
