/// Options of which only Whisper has any use. Names and defaults are those of openai-whisper's command unless stated
/// otherwise.
public struct WhisperOptions: Hashable, Sendable {
    /// Options of each window: search and filters. Task, language, beam size, temperature, prompt and prefix are set for each
    /// window.
    public var decoding = DecodingOptions()
    /// Temperatures to try in order until a window's text passes the tests below.
    public var temperatures = TextThresholds.temperatures
    /// Text with a greater compression ratio is rejected; `nil` turns the test off.
    public var compressionRatioThreshold: Double? = TextThresholds.compressionRatio
    /// Text with a lower mean log probability is rejected; `nil` turns the test off.
    public var logprobThreshold: Double? = TextThresholds.logprob
    /// A window with a greater no-speech probability is skipped, unless its log probability passes the test above; `nil`
    /// never skips.
    public var noSpeechThreshold: Double? = TextThresholds.noSpeech
    /// Prompts each window with the text before it.
    public var conditionOnPreviousText = true
    /// Text decoded at a higher temperature, and what is before it, prompts no window. openai-whisper has no such option.
    public var promptResetTemperature = 0.5
    /// Text that the first window's prompt begins with; `nil` for the ids in `decoding.prompt`.
    public var initialPrompt: String?
    /// Begins every window's prompt with `initialPrompt`.
    public var carryInitialPrompt = false
    /// Text that the first window must begin with.
    public var prefix: String?
    /// Words to expect, placed before the previous text of every window. As in faster-whisper.
    public var hotwords: String?
    /// Whether the last word's time decides where the next window starts, as in openai-whisper. Otherwise timing the words
    /// changes no text (`timeWords`).
    package var seeksByWords = true
    /// Punctuation that is merged with the next word.
    public var prependPunctuations = "\"'“¿([{-"
    /// Punctuation that is merged with the previous word.
    public var appendPunctuations = "\"'.。,，!！?？:：”)]}、"
    /// Minimum seconds of silence around a suspicious segment for it to be dropped; needs `wordTimestamps`. `nil` drops
    /// nothing.
    public var hallucinationSilenceThreshold: Double?
    /// Maximum seconds of audio in a window, 1…30, which the encoder pads to 30; also of speech in a batch. `nil` is 30. As in
    /// faster-whisper.
    public var chunkLength: Double?
    /// Number of windows at the start of a recording in which its language is detected, until one is more probable than
    /// `languageThreshold`; if none is, the language of most windows. As in faster-whisper.
    public var languageWindows = 1
    /// `nil` chooses the windows by `TranscriptionOptions.guards`: the first, or the first with speech.
    public var languageThreshold: Double?
    /// How much of a 30-second window the encoder computes. Not in openai-whisper.
    public var audioContext = AudioContext.full

    /// Number of beams unless `TranscriptionOptions.beamSize` is another.
    package static let beams = 5

    /// Above temperature 0, the best of five samples is chosen.
    public init() { decoding.bestOf = 5 }
}
