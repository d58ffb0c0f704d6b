import EngineModels

/// The result of one decoding pass over a window.
package struct DecodingResult: Hashable, Sendable {
    /// Generated ids up to the end of text, timestamps included.
    package var tokens: [Int]
    /// The log probability of each token.
    package var logprobs: [Float]
    /// The tokens' text without timestamps, with leading and trailing white space removed.
    package var text: String
    /// Sum of the log probabilities / (number of tokens + 1).
    package var avgLogprob: Double
    /// Probability of "no speech" at the start of the transcript, before any filter, 0…1.
    package var noSpeechProb: Double
    /// Sampling temperature of the pass; 0 is greedy or beam search.
    package var temperature: Double
    /// UTF-8 bytes of the text per zlib byte.
    package var compressionRatio: Double

    package init(
        tokens: [Int], logprobs: [Float], text: String, avgLogprob: Double, noSpeechProb: Double, temperature: Double,
        compressionRatio: Double
    ) {
        self.tokens = tokens
        self.logprobs = logprobs
        self.text = text
        self.avgLogprob = avgLogprob
        self.noSpeechProb = noSpeechProb
        self.temperature = temperature
        self.compressionRatio = compressionRatio
    }
}

/// The tokens that a search chose for a window, before they are turned into text.
package struct DecodedTokens: Hashable, Sendable {
    /// Generated ids up to the end of text, timestamps included.
    package let tokens: [Int]
    /// The log probability of each token.
    package let logprobs: [Float]
    /// Sum of the log probabilities, including that of the end of text if it was reached.
    package let sumLogprobs: Double
    /// Probability of "no speech" before any filter.
    package let noSpeechProb: Double

    /// Sum / (number of tokens + 1). Always finite: the sum of a hypothesis with an impossible token counts as the
    /// lowest float32 value.
    package var avgLogprob: Double {
        max(sumLogprobs, -Double(Float.greatestFiniteMagnitude)) / Double(tokens.count + 1)
    }

    /// Adds the text.
    ///
    /// - Parameter text: what the tokens spell, without timestamps and surrounding white space.
    package func result(text: String, temperature: Double) -> DecodingResult {
        DecodingResult(
            tokens: tokens, logprobs: logprobs, text: text, avgLogprob: avgLogprob, noSpeechProb: noSpeechProb,
            temperature: temperature, compressionRatio: CompressionRatio.of(text))
    }
}
