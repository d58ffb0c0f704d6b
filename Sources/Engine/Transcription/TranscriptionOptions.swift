/// How a whole recording is recognized. Defaults are those of openai-whisper's `transcribe()`.
public struct TranscriptionOptions: Hashable, Sendable {
    /// Options of each window; its temperature, prompt and prefix are set window by window.
    public var decoding = DecodingOptions()
    /// Tried in turn until a window's text passes the tests below.
    public var temperatures: [Double] = [0, 0.2, 0.4, 0.6, 0.8, 1]
    /// A greater ratio of text to compressed text fails; `nil` is no test.
    public var compressionRatioThreshold: Double? = 2.4
    /// A smaller mean log probability fails; `nil` is no test.
    public var logprobThreshold: Double? = -1
    /// A greater no-speech probability skips the window; `nil` never skips.
    public var noSpeechThreshold: Double? = 0.6
    /// Windows are prompted with the text before them.
    public var conditionOnPreviousText = true
    /// Text to begin the first window's prompt with.
    public var initialPrompt: String?
    /// `initialPrompt` stays in front of every window's prompt.
    public var carryInitialPrompt = false
    /// Text the first window must begin with.
    public var prefix: String?
    /// Words to expect, put before the previous text of every window.
    public var hotwords: String?
    public var wordTimestamps = false
    public var prependPunctuations = "\"'“¿([{-"
    public var appendPunctuations = "\"'.。,，!！?？:：”)]}、"
    /// Seconds: start, end, start, end …; a last start without an end runs to the end of the recording.
    public var clipTimestamps: [Double] = []
    /// Seconds of silence around a suspicious segment beyond which it is dropped; needs `wordTimestamps`.
    public var hallucinationSilenceThreshold: Double?
    /// How much of its 30-second window the encoder looks at.
    public var audioContext = AudioContext.full
    /// Seconds from the start of the sound that are left out.
    public var offset: Double = 0
    /// Seconds of sound to recognize after `offset`; `nil` is all.
    public var duration: Double?

    public init() {}
}
