/// A result that was thrown away for another try at a higher temperature.
package struct DecodingRetry: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The text compresses too well.
        case repetitive(compressionRatio: Double)
        /// The mean log probability is too low.
        case improbable(avgLogprob: Double)
    }

    package let failedTemperature: Double
    /// That of the next try.
    package let temperature: Double
    package let reason: Reason

    package init(failedTemperature: Double, temperature: Double, reason: Reason) {
        self.failedTemperature = failedTemperature
        self.temperature = temperature
        self.reason = reason
    }
}
