/// The transcript of a recording.
///
/// `Codable` encodes every field under the names of openai-whisper's result; `duration` and what belongs to live sessions
/// have names of their own. `OutputFormat.json` writes openai-whisper's JSON file instead.
public struct Transcript: Codable, Hashable, Sendable {
    /// Text of all segments.
    public var text: String
    /// Code of the given or detected language, such as `en`; of several, that of most speech; for channels transcribed by
    /// themselves, that of the first segment.
    public var language: String
    /// Length of the transcribed audio in seconds.
    public var duration: Double
    /// In order of their start, and those of one speaker without overlap; ids count from 0. Words lie inside their segment.
    /// Without guards, speakers and channels, times are openai-whisper's, which break these rules now and then.
    public var segments: [TranscriptSegment]
    /// Who speaks when, in order of the start; turns of different speakers may overlap. `nil` unless speakers were
    /// identified by voice.
    public var turns: [TranscriptTurn]?
    /// Where a detector heard speech, in order; `nil` unless one was used. Subtitles begin and end there.
    public var speech: [TranscriptSpan]?

    public init(text: String, language: String, duration: Double, segments: [TranscriptSegment]) {
        self.text = text
        self.language = language
        self.duration = duration
        self.segments = segments
    }
}

/// A section of speech with its times, about a sentence long. The first fields are those of openai-whisper's segment; what
/// only Whisper computes is `nil` for models of other families.
public struct TranscriptSegment: Hashable, Sendable {
    /// Number of the segment in its recording or session, from 0.
    public var id: Int
    /// Start of the segment's window in frames of 10 ms; only Whisper's.
    public var seek: Int?
    /// Seconds from the start of the recording or session.
    public var start: Double
    public var end: Double
    /// Text as the model generated it, with its leading space. Empty for silence.
    public var text: String
    /// Generated ids, Whisper's timestamps included.
    public var tokens: [Int]
    /// Natural logarithms of the tokens' probabilities; `nil` unless they were requested.
    public var tokenLogprobs: [Double]?
    /// Sampling temperature of the window; 0 is greedy or beam search; only Whisper's.
    public var temperature: Double?
    /// Mean log probability of the window's or segment's tokens.
    public var avgLogprob: Double
    /// UTF-8 bytes of the window's text per zlib byte; above 2.4 it is repetitive; only Whisper's.
    public var compressionRatio: Double?
    /// Probability that the window contains no speech, 0…1; only Whisper's.
    public var noSpeechProb: Double?
    /// `nil` unless word timestamps were requested.
    public var words: [TranscriptWord]?
    /// Code of the language in a live session, of the speaker's channel, or of the window in which it was detected again;
    /// for a recording as a whole it is in the `Transcript`.
    public var language: String?
    /// Name of the speaker, such as `speaker 1`; `nil` if speakers are not identified.
    public var speaker: String?
    /// False while the text may still change.
    public var isFinal = true
    /// The live session that the segment belongs to.
    public var session: SessionID?
    /// Number of the utterance in a live session, from 0.
    public var utterance = 0

    public init(
        id: Int, seek: Int? = nil, start: Double, end: Double, text: String, tokens: [Int],
        temperature: Double? = nil, avgLogprob: Double, compressionRatio: Double? = nil, noSpeechProb: Double? = nil,
        words: [TranscriptWord]? = nil
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
}

extension TranscriptSegment: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, seek, start, end, text, tokens, temperature
        case tokenLogprobs = "token_logprobs"
        case avgLogprob = "avg_logprob"
        case compressionRatio = "compression_ratio"
        case noSpeechProb = "no_speech_prob"
        case words, language, speaker
        case isFinal = "is_final"
        case session, utterance
    }

    /// Decodes a segment; the keys of live sessions may be missing, as in openai-whisper's results, and
    /// those that only Whisper has.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(Int.self, forKey: .id), seek: try values.decodeIfPresent(Int.self, forKey: .seek),
            start: try values.decode(Double.self, forKey: .start), end: try values.decode(Double.self, forKey: .end),
            text: try values.decode(String.self, forKey: .text), tokens: try values.decode([Int].self, forKey: .tokens),
            temperature: try values.decodeIfPresent(Double.self, forKey: .temperature),
            avgLogprob: try values.decode(Double.self, forKey: .avgLogprob),
            compressionRatio: try values.decodeIfPresent(Double.self, forKey: .compressionRatio),
            noSpeechProb: try values.decodeIfPresent(Double.self, forKey: .noSpeechProb),
            words: try values.decodeIfPresent([TranscriptWord].self, forKey: .words))
        tokenLogprobs = try values.decodeIfPresent([Double].self, forKey: .tokenLogprobs)
        language = try values.decodeIfPresent(String.self, forKey: .language)
        speaker = try values.decodeIfPresent(String.self, forKey: .speaker)
        isFinal = try values.decodeIfPresent(Bool.self, forKey: .isFinal) ?? true
        session = try values.decodeIfPresent(SessionID.self, forKey: .session)
        utterance = try values.decodeIfPresent(Int.self, forKey: .utterance) ?? 0
    }
}

extension TranscriptSegment {
    /// Whether any of its words is said; false only for text that was aligned with a recording in which it does not occur.
    public var isSpoken: Bool {
        guard let words, !words.isEmpty else { return true }
        return words.contains { $0.isSpoken != false }
    }
}

/// A stretch of speech by one speaker.
public struct TranscriptTurn: Codable, Hashable, Sendable {
    /// Seconds from the start of the recording.
    public var start: Double
    public var end: Double
    /// As in the segments, such as `speaker 1`.
    public var speaker: String

    public init(start: Double, end: Double, speaker: String) {
        self.start = start
        self.end = end
        self.speaker = speaker
    }
}

/// A stretch of time.
public struct TranscriptSpan: Codable, Hashable, Sendable {
    /// Seconds from the start of the recording.
    public var start: Double
    public var end: Double
    /// Who speaks, in channels that were transcribed separately.
    public var speaker: String?

    public init(start: Double, end: Double, speaker: String? = nil) {
        self.start = start
        self.end = end
        self.speaker = speaker
    }
}

/// A word with its times.
public struct TranscriptWord: Codable, Hashable, Sendable {
    /// The word with its leading space and its punctuation.
    public var word: String
    /// Seconds from the start of the recording or session.
    public var start: Double
    public var end: Double
    /// Mean probability of its tokens, 0…1.
    public var probability: Double
    /// Name of the speaker; `nil` unless speakers were identified by voice.
    public var speaker: String?
    /// Whether a word of a given text is said; if not, its times are those of the moment where it would be. `nil` unless a
    /// text was aligned with the recording.
    public var isSpoken: Bool?

    public init(word: String, start: Double, end: Double, probability: Double, speaker: String? = nil) {
        self.word = word
        self.start = start
        self.end = end
        self.probability = probability
        self.speaker = speaker
    }
}
