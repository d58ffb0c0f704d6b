/// What was said in a recording.
public struct Transcript: Codable, Hashable, Sendable {
    public var text: String
    /// Code of the language, `en`.
    public var language: String
    /// Length of the sound in seconds.
    public var duration: Double
    public var segments: [TranscriptSegment]

    public init(text: String, language: String, duration: Double, segments: [TranscriptSegment]) {
        self.text = text
        self.language = language
        self.duration = duration
        self.segments = segments
    }
}

/// A stretch of speech with its times, about a sentence. Field by field openai-whisper's segment.
public struct TranscriptSegment: Codable, Hashable, Sendable {
    public var id: Int
    /// Start of the window it was found in, in frames of 10 ms.
    public var seek: Int
    /// Seconds from the start of the recording.
    public var start: Double
    public var end: Double
    /// With its leading space, as the model wrote it.
    public var text: String
    /// Ids, timestamps included.
    public var tokens: [Int]
    /// The window's sampling temperature; 0 is greedy or beam search.
    public var temperature: Double
    /// The window's mean log probability of a token.
    public var avgLogprob: Double
    /// The window's UTF-8 bytes per zlib byte; above 2.4 it repeats itself.
    public var compressionRatio: Double
    /// The window's probability of holding no speech.
    public var noSpeechProb: Double
    /// `nil` where no words were asked for.
    public var words: [TranscriptWord]?
    /// Code of the language, in a live session; a recording's stands in its `Transcript`.
    public var language: String?
    /// False while the words may still change.
    public var isFinal = true
    /// The live session it belongs to.
    public var session: SessionID?
    /// In a live session: which stretch of speech it belongs to, counted from 0.
    public var utterance = 0

    public init(
        id: Int, seek: Int, start: Double, end: Double, text: String, tokens: [Int], temperature: Double,
        avgLogprob: Double, compressionRatio: Double, noSpeechProb: Double, words: [TranscriptWord]? = nil
    ) {
        self.id = id
        self.seek = seek
        self.start = start
        self.end = end
        self.text = text
        self.tokens = tokens
        self.temperature = temperature
        self.avgLogprob = avgLogprob
        self.compressionRatio = compressionRatio
        self.noSpeechProb = noSpeechProb
        self.words = words
    }

    enum CodingKeys: String, CodingKey {
        case id, seek, start, end, text, tokens, temperature
        case avgLogprob = "avg_logprob"
        case compressionRatio = "compression_ratio"
        case noSpeechProb = "no_speech_prob"
        case words
    }
}

/// A word with its times.
public struct TranscriptWord: Codable, Hashable, Sendable {
    /// With its leading space and its punctuation.
    public var word: String
    /// Seconds from the start of the recording.
    public var start: Double
    public var end: Double
    /// Mean probability of its tokens.
    public var probability: Double

    public init(word: String, start: Double, end: Double, probability: Double) {
        self.word = word
        self.start = start
        self.end = end
        self.probability = probability
    }
}
