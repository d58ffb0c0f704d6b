/// Options for decoding one window of at most 30 s. Names and defaults are those of openai-whisper's `DecodingOptions`
/// unless stated otherwise.
///
/// When a recording is transcribed, task, language, beam size, temperature, prompt and prefix of each window are filled in.
public struct DecodingOptions: Hashable, Sendable {
    /// Transcribe, or translate into English.
    package var task: TranscriptionTask = .transcribe
    /// Code of the spoken language, such as `en`; `nil` detects it.
    package var language: String?
    /// 0 chooses the most likely token at each step; above 0, tokens are sampled.
    public var temperature: Double = 0
    /// Maximum number of tokens to generate; `nil` is half the text context (224).
    public var sampleLength: Int?
    /// Number of independent samples to choose from, for temperatures above 0; `nil` is 1.
    public var bestOf: Int?
    /// Number of beams, for temperature 0; `nil` and 1 are greedy search.
    package var beamSize: Int?
    /// The beam search stops after `beamSize · patience` finished hypotheses; `nil` is 1.
    public var patience: Double?
    /// α of the Google NMT length penalty, 0…1; `nil` divides by the length.
    public var lengthPenalty: Double?
    /// Instead of `lengthPenalty`, scores are divided by the length to this power, which faster-whisper calls the length
    /// penalty; 1 is the same as `nil`.
    public var lengthExponent: Double?
    /// Ids of the previous text, of which the last 223 are used.
    public var prompt: [Int] = []
    /// Ids that the window's text must begin with.
    public var prefix: [Int] = []
    /// The prefix is part of the window's text, after a timestamp of 0 unless there are none, as in faster-whisper. Otherwise
    /// the text goes on after it, as in openai-whisper.
    public var prefixInText = false
    /// Ids that are never generated; -1 stands for the non-speech tokens. `nil` or empty turns the filter off, including
    /// the special tokens that it otherwise always suppresses.
    public var suppressTokens: [Int]? = [-1]
    /// Neither a blank nor the end of text may be the first token.
    public var suppressBlank = true
    /// Generate no timestamps.
    public var withoutTimestamps = false
    /// Latest first timestamp in seconds; `nil` or 0 is no limit.
    public var maxInitialTimestamp: Double? = 1
    /// Values above 1 make ids that the window already contains less likely; 1 is off; 0.01 to 100. As in faster-whisper.
    public var repetitionPenalty: Double = 1
    /// No n-gram of this length occurs twice in a window; 0 is off. As in faster-whisper.
    public var noRepeatNgramSize = 0
    /// Maximum number of tokens to generate, overriding `sampleLength`. As in faster-whisper.
    public var maxNewTokens: Int?
    /// Ids of words to expect, placed before the previous text. As in faster-whisper.
    public var hotwords: [Int] = []
    /// Seed for sampling at temperatures above 0.
    public var seed: UInt64 = 0
    /// Generates exactly this many text tokens, suppressing timestamps and the end of text: for measuring networks
    /// with random weights.
    package var forcedTokenCount: Int?

    public init() {}

    /// The same options at another temperature: without beams and patience above 0, without `bestOf` at 0.
    package func at(temperature: Double) -> DecodingOptions {
        var options = self
        options.temperature = temperature
        if temperature > 0 {
            options.beamSize = nil
            options.patience = nil
        } else {
            options.bestOf = nil
            // With one beam, the reference's beam search differs from its greedy search only in speed.
            if beamSize == 1, patience == nil { options.beamSize = nil }
        }
        return options
    }
}
