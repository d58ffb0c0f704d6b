/// A result that was thrown away for another try at a higher temperature.
public struct DecodingRetry: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The text compresses too well.
        case repetitive(compressionRatio: Double)
        /// The mean log probability is too low.
        case improbable(avgLogprob: Double)
        /// A run of tokens comes so often in a row.
        case looping(times: Int)
        /// It was taken for silence, but so much of the window, 0…1, is speech.
        case speechHeard(share: Double)
    }

    public let failedTemperature: Double
    /// That of the next try.
    public let temperature: Double
    public let reason: Reason

    package init(failedTemperature: Double, temperature: Double, reason: Reason) {
        self.failedTemperature = failedTemperature
        self.temperature = temperature
        self.reason = reason
    }
}
