package import EngineCompute
public import EngineVocabulary
public import EngineVoices

/// Options for transcribing a recording. The defaults are those of the program and its server; `openAIWhisper` has
/// openai-whisper's.
public struct TranscriptionOptions: Hashable, Sendable {
    /// Transcribe, or translate into English.
    public var task = TranscriptionTask.transcribe
    /// Code of the spoken language, such as `en`; `nil` detects it.
    public var language: String?
    /// Codes of the languages that detection chooses from; empty allows all that the model knows. Those that it does not
    /// know are ignored.
    public var languages: [String] = []
    /// Detects the language again in each window, unless `language` is given; each segment then has its language. As in
    /// faster-whisper.
    public var multilingual = false
    /// Number of beams, at temperature 0 for Whisper; 1 is greedy search. `nil` is what the model's family is used with: five
    /// for Whisper, greedy search for Parakeet.
    public var beamSize: Int?
    /// What only Whisper has any use for. Other models reject everything but the defaults.
    public var whisper = WhisperOptions()
    /// Names and terms to expect, as a user's vocabulary lists them: the search prefers their tokens, and what sounds like one
    /// of them is written so, too.
    public var terms: [Term] = []
    /// What to write in place of something in the finished text.
    public var replacements: [ReplacementRule] = []
    /// Keeps the log probability of every token in the segments. Not in openai-whisper.
    public var tokenLogprobs = false
    /// Finds the times of words, which also makes those of segments more precise.
    public var wordTimestamps = false
    /// The parts to transcribe, in seconds of the recording: start, end, start, end …; a last start without an end extends to the end of
    /// the recording. Empty transcribes everything.
    ///
    /// With `guards`, `speakers` or several channels, clips are transcribed in order of their start, and no part twice.
    public var clipTimestamps: [Double] = []
    /// Transcribes only speech, leaving out silence; `nil` transcribes everything. As in faster-whisper.
    public var voiceActivity: VoiceActivityOptions?
    /// Measures against invented text that openai-whisper does not have; each use is reported as an event. `nil` turns
    /// them on if `guardDetector` can distinguish speech from noise and music.
    public var guards: Bool?
    /// Finds the speech for `guards` if `voiceActivity` is `nil`. `nil` is Silero's network, which can distinguish speech
    /// from noise and music, if it is installed, else energy, which cannot.
    public var guardDetector: VoiceActivityOptions.Detector?
    /// Identifies the speakers by their voices, which also turns on word times (without changing the text); `nil` does
    /// not identify them. Not in openai-whisper.
    public var speakers: SpeakerOptions?
    /// Number of windows decoded in parallel: chunks of speech up to 30 s, or the clips if `voiceActivity` is `nil`.
    /// Above 1, no window is prompted with the text before it. `nil` is 1, or `standardBatchSize` with `voiceActivity` and
    /// without `whisper.conditionOnPreviousText`. As in faster-whisper.
    public var batchSize: Int?
    /// Seconds to skip at the start of the recording. Not in openai-whisper.
    public var offset: Double = 0
    /// Seconds of audio to transcribe after `offset`; `nil` transcribes to the end. Not in openai-whisper.
    public var duration: Double?

    /// Whether times are in order and stay inside their clips even where openai-whisper's do not. Always so with `guards`,
    /// `speakers` or several channels.
    package var ordersTimes = false
    /// Seconds of the recording before which it has been transcribed already; not with clips that go back.
    package var resumesAt: Double?

    public init() {}

    /// The defaults of openai-whisper's command. With `ComputeType.float32` the text is the same, too.
    public static var openAIWhisper: TranscriptionOptions {
        var options = TranscriptionOptions()
        options.guards = false
        return options
    }

    /// Adds a user's vocabulary.
    public mutating func add(_ vocabulary: UserVocabulary) {
        var all = UserVocabulary()
        for term in terms + vocabulary.terms { all.add(term) }
        terms = all.terms
        replacements += vocabulary.rules
    }

    /// Whether `guards` are on, once `guardDetector` is known.
    package var isGuarded: Bool { guards ?? guardDetector?.distinguishesNoise ?? false }

    /// Whether speech is searched for: by the guards, or to divide windows between languages where only a detector is missing
    /// for these.
    package var detectsSpeech: Bool { isGuarded || multilingual && guards == nil }

    /// Larger batches gain little, and each window takes memory for its encoded audio.
    public static let standardBatchSize = 8

    /// Number of windows decoded in parallel.
    package var windowsAtOnce: Int {
        max(1, batchSize ?? (voiceActivity != nil && !whisper.conditionOnPreviousText ? Self.standardBatchSize : 1))
    }

    /// Times the words for a feature that needs it, without changing the text. If the last word's time chose the next
    /// window, as in openai-whisper, the sentence after it could be lost.
    ///
    /// Changes nothing if `wordTimestamps` is already on. `whisper.hallucinationSilenceThreshold` does move windows.
    package mutating func timeWords() {
        guard !wordTimestamps else { return }
        wordTimestamps = true
        whisper.seeksByWords = whisper.hallucinationSilenceThreshold != nil
    }

    /// What Whisper's decoder must have room for.
    package var decodingCapacity: DecodingCapacity {
        DecodingCapacity(
            windows: windowsAtOnce, rowsPerWindow: max(beamSize ?? WhisperOptions.beams, whisper.decoding.bestOf ?? 1))
    }
}
