package import EngineCompute
public import EngineVoices

/// Options for transcribing a recording. Names and defaults are those of openai-whisper's `transcribe()` unless stated
/// otherwise.
public struct TranscriptionOptions: Hashable, Sendable {
    /// Options of each window: task, language, search and filters. Temperature, prompt and prefix are set for each window.
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
    /// Text that the first window's prompt begins with.
    public var initialPrompt: String?
    /// Begins every window's prompt with `initialPrompt`.
    public var carryInitialPrompt = false
    /// Text that the first window must begin with.
    public var prefix: String?
    /// Words to expect, placed before the previous text of every window. As in faster-whisper.
    public var hotwords: String?
    /// Keeps the log probability of every token in the segments. Not in openai-whisper.
    public var tokenLogprobs = false
    /// Finds the times of words, which also makes those of segments more precise.
    public var wordTimestamps = false
    /// Whether the last word's time decides where the next window starts, as in openai-whisper. Otherwise timing the words
    /// changes no text (`timeWords`).
    package var seeksByWords = true
    /// Punctuation that is merged with the next word.
    public var prependPunctuations = "\"'“¿([{-"
    /// Punctuation that is merged with the previous word.
    public var appendPunctuations = "\"'.。,，!！?？:：”)]}、"
    /// The parts to transcribe, in seconds: start, end, start, end …; a last start without an end extends to the end of
    /// the recording. Empty transcribes everything.
    ///
    /// With `guards`, `speakers` or several channels, clips are transcribed in order of their start, and no part twice.
    public var clipTimestamps: [Double] = []
    /// Minimum seconds of silence around a suspicious segment for it to be dropped; needs `wordTimestamps`. `nil` drops
    /// nothing.
    public var hallucinationSilenceThreshold: Double?
    /// How much of a 30-second window the encoder computes. Not in openai-whisper.
    public var audioContext = AudioContext.full
    /// Transcribes only speech, leaving out silence; `nil` transcribes everything. As in faster-whisper.
    public var voiceActivity: VoiceActivityOptions?
    /// Turns on measures against invented text that openai-whisper does not have; each use is reported as an event.
    /// Recommended with Silero's network as `guardDetector`.
    public var guards = false
    /// Finds the speech for `guards` if `voiceActivity` is `nil`. Silero's network can distinguish speech from noise
    /// and music; energy cannot.
    public var guardDetector = VoiceActivityOptions.Detector.energy
    /// Identifies the speakers by their voices, which also turns on word times (without changing the text); `nil` does
    /// not identify them. Not in openai-whisper.
    public var speakers: SpeakerOptions?
    /// Number of windows decoded in parallel: chunks of speech up to 30 s, or the clips if `voiceActivity` is `nil`.
    /// Above 1, no window is prompted with the text before it. `nil` is 1, or `standardBatchSize` with `voiceActivity` and
    /// without `conditionOnPreviousText`. As in faster-whisper.
    public var batchSize: Int?
    /// Seconds to skip at the start of the audio. Not in openai-whisper.
    public var offset: Double = 0
    /// Seconds of audio to transcribe after `offset`; `nil` transcribes to the end. Not in openai-whisper.
    public var duration: Double?

    /// Whether times are in order and stay inside their clips even where openai-whisper's do not. Always so with `guards`,
    /// `speakers` or several channels.
    package var ordersTimes = false

    public init() {}

    /// Larger batches gain little, and each window takes memory for its encoded audio.
    public static let standardBatchSize = 8

    /// Number of windows decoded in parallel.
    package var windowsAtOnce: Int {
        max(1, batchSize ?? (voiceActivity != nil && !conditionOnPreviousText ? Self.standardBatchSize : 1))
    }

    /// Times the words for a feature that needs it, without changing the text. If the last word's time chose the next
    /// window, as in openai-whisper, the sentence after it could be lost.
    ///
    /// Changes nothing if `wordTimestamps` is already on. `hallucinationSilenceThreshold` does move windows.
    package mutating func timeWords() {
        guard !wordTimestamps else { return }
        wordTimestamps = true
        seeksByWords = hallucinationSilenceThreshold != nil
    }

    /// What the decoder must have room for.
    package var decodingCapacity: DecodingCapacity {
        DecodingCapacity(windows: windowsAtOnce, rowsPerWindow: max(decoding.beamSize ?? 1, decoding.bestOf ?? 1))
    }
}
