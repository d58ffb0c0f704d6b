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
    /// Recognizes speech alone, silence is left out before; `nil` recognizes everything.
    public var voiceActivity: VoiceActivityOptions?
    /// Measures against invented text that openai-whisper lacks; each use is told as an event.
    public var guards = false
    /// Windows decoded side by side: stretches of speech up to 30 s, or the clips where `voiceActivity` is `nil`. Above
    /// 1 no window is prompted with the text before it. `nil` is 1, and `standardBatchSize` where speech alone is
    /// recognized and windows are not prompted anyway.
    public var batchSize: Int?
    /// Seconds from the start of the sound that are left out.
    public var offset: Double = 0
    /// Seconds of sound to recognize after `offset`; `nil` is all.
    public var duration: Double?

    public init() {}

    /// More windows at once gain little, and each takes memory for what its sound holds.
    public static let standardBatchSize = 8

    /// Windows decoded side by side.
    package var windowsAtOnce: Int {
        max(1, batchSize ?? (voiceActivity != nil && !conditionOnPreviousText ? Self.standardBatchSize : 1))
    }

    /// What the decoder must have room for.
    public var decodingCapacity: DecodingCapacity {
        DecodingCapacity(windows: windowsAtOnce, rowsPerWindow: max(decoding.beamSize ?? 1, decoding.bestOf ?? 1))
    }
}
