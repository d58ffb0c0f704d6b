/// What a search found for a window, without its text.
package struct DecodedTokens: Hashable, Sendable {
    /// Produced ids, timestamps included, up to the end of text.
    package let tokens: [Int]
    /// Sum of log probabilities, the end's included where it was reached.
    package let sumLogprobs: Double
    /// Probability of "no speech" before any filter.
    package let noSpeechProb: Double

    package init(tokens: [Int], sumLogprobs: Double, noSpeechProb: Double) {
        self.tokens = tokens
        self.sumLogprobs = sumLogprobs
        self.noSpeechProb = noSpeechProb
    }

    /// Sum / (number of tokens + 1). Finite: a hypothesis that holds an impossible token has float32's lowest value.
    package var avgLogprob: Double {
        max(sumLogprobs, -Double(Float.greatestFiniteMagnitude)) / Double(tokens.count + 1)
    }

    /// The result with its text.
    ///
    /// - Parameters:
    ///   - text: what the tokens spell, without timestamps, white space at the ends removed.
    ///   - language: code of the language given or detected.
    package func result(text: String, temperature: Double, language: String) -> DecodingResult {
        DecodingResult(
            tokens: tokens, text: text, avgLogprob: avgLogprob, noSpeechProb: noSpeechProb, temperature: temperature,
            compressionRatio: CompressionRatio.of(text), language: language)
    }
}
