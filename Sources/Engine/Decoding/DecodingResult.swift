/// What one decoding pass of a window gave.
public struct DecodingResult: Hashable, Sendable {
    /// Produced ids up to the end of text, timestamps included.
    public var tokens: [Int]
    /// Their text without timestamps, white space at the ends removed.
    public var text: String
    /// Sum of log probabilities / (number of tokens + 1).
    public var avgLogprob: Double
    /// Probability of "no speech" at the start of the transcript, before any filter.
    public var noSpeechProb: Double
    public var temperature: Double
    /// UTF-8 bytes of the text per zlib byte.
    public var compressionRatio: Double
    /// Code of the language given or detected.
    public var language: String

    public init(
        tokens: [Int], text: String, avgLogprob: Double, noSpeechProb: Double, temperature: Double,
        compressionRatio: Double, language: String
    ) {
        self.tokens = tokens
        self.text = text
        self.avgLogprob = avgLogprob
        self.noSpeechProb = noSpeechProb
        self.temperature = temperature
        self.compressionRatio = compressionRatio
        self.language = language
    }
}
