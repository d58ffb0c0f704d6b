/// How one window is decoded. Defaults are those of openai-whisper's `DecodingOptions`.
public struct DecodingOptions: Hashable, Sendable {
    public var task: TranscriptionTask = .transcribe
    /// Code of the language; `nil` asks the model.
    public var language: String?
    /// 0 takes the best token each time; above, tokens are drawn.
    public var temperature: Double = 0
    /// Most tokens to produce; `nil` is half the text context (224).
    public var sampleLength: Int?
    /// Independent samples to choose among, for temperatures above 0.
    public var bestOf: Int?
    /// Beams of the search, for temperature 0.
    public var beamSize: Int?
    /// The search ends when `beamSize · patience` hypotheses are complete; `nil` is 1.
    public var patience: Double?
    /// α of the Google NMT length penalty, 0…1; `nil` divides by the length.
    public var lengthPenalty: Double?
    /// Ids of previous text, cut to its last 223.
    public var prompt: [Int] = []
    /// Ids the window's text must begin with.
    public var prefix: [Int] = []
    /// Ids never produced; -1 stands for the non-speech tokens. `nil` or empty switches the filter off, with the
    /// special tokens it always holds.
    public var suppressTokens: [Int]? = [-1]
    /// No blank and no end as the first token.
    public var suppressBlank = true
    public var withoutTimestamps = false
    /// Latest first timestamp in seconds; `nil` or 0 is no limit.
    public var maxInitialTimestamp: Double? = 1
    /// Above 1 makes ids already produced in this window less likely (CTranslate2's rule); 1 is off.
    public var repetitionPenalty: Double = 1
    /// No n-gram of this length comes twice in a window; 0 is off.
    public var noRepeatNgramSize = 0
    /// Most tokens to produce when set, instead of `sampleLength` (faster-whisper's name).
    public var maxNewTokens: Int?
    /// Ids of words to expect, put before the previous text.
    public var hotwords: [Int] = []
    /// Seed of the draws at temperatures above 0.
    public var seed: UInt64 = 0
    /// Exactly so many text tokens: end and timestamps suppressed, for timing networks with random weights.
    public var forcedTokenCount: Int?

    public init() {}
}
