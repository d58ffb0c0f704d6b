/// How a live session decodes audio and when words become final.
///
/// The defaults suit dictation and captions and were tuned with tiny.en on human speech. Times are seconds unless stated
/// otherwise. A session rejects values that are out of range.
///
/// ```swift
/// var options = StreamingOptions()
/// options.language = "en"
/// options.policy = .agree
/// options.transcription.initialPrompt = "Minutes of the city council."
/// ```
public struct StreamingOptions: Hashable, Sendable {
    /// When words become final.
    public enum Policy: String, Sendable, Hashable, CaseIterable {
        /// When their utterance has ended. The utterance is decoded like a recording of its own.
        case utterance
        /// When successive passes agree on them (LocalAgreement).
        case agree
        /// When the network attends to audio well before the newest sample (AlignAtt).
        case align
    }

    /// When words become final.
    public var policy: Policy = .align
    /// Interval between passes over an open utterance, 0.25…2; rounded to a multiple of 0.02. A model that hears each
    /// sample once hears chunks of at most this length, of those that it was trained with.
    public var step = 0.8
    /// Length at which an utterance gets its first pass, 0…2. A shorter one is decoded when it ends.
    public var minimumAudio = 0.5
    /// Length of voice after the final words below which no pass runs before the utterance ends.
    package var minimumVoice = 0.3
    /// `agree`: number of successive passes that must agree, 1…10.
    package var agreement = 2
    /// `agree`: words that end within this time of the newest audio wait, 0…10.
    package var guardTime = 0.5
    /// `agree` and `align`: words with a lower probability wait for more audio, 0…1.
    public var minimumProbability = 0.5
    /// Age at which improbable words no longer wait, measured from the end of the word to the newest audio, 0…20.
    public var patience = 1.6
    /// `agree` and `align`: width of the beam search that decodes improbable words again when they become final, 1…20; 1 for
    /// none.
    package var doubtfulBeams = 5
    /// Volatile text omits words that end within this time of the newest audio, because they change too often; 0…10.
    package var volatileGuard = 0.0
    /// Volatile text ends before the first word of the newest second with a lower probability, 0…1.
    public var volatileProbability = 0.3
    /// Window length above which the window slides past its oldest committed words, 1…`maxWindow`.
    package var trim = 9.5
    /// Maximum window length, 1…28. Speech without a pause is cut there.
    public var maxWindow = 28.0
    /// Length of voice in an utterance for which its words wait until the language is clear, because final words cannot
    /// change with it; 0 for not at all.
    package var languagePatience = 6.0
    /// Number of committed words to keep when the window slides, 0…100.
    package var keepWords = 3
    /// Number of committed tokens in the window above which it slides, 1…200.
    package var maxForcedTokens = 200
    /// Maximum length of audio, with its final words, carried over from the previous utterance into the window of the
    /// next: words are recognized worse without context. A window that slides keeps as much. 0…20; 0 for none.
    package var carriedAudio = 8.0
    /// Length of silence after which nothing is carried over.
    package var carryGap = 2.0
    /// Length of voice without text, after the last final word, that is decoded again without the words before it, 0.5…10.
    package var voiceWithoutText = 2.0
    /// Seconds of voice after the last final word that must yield a new word; one at the start of an utterance.
    package var voiceBeforeText = 1.2
    /// Maximum number of characters of previous text that prompt a pass, 0…10000; 0 for no prompt. Other systems use
    /// 200; the shipped model is most accurate with 0.
    public var contextCharacters = 0
    /// Length of silence after which previous text is forgotten.
    public var contextGap = 10.0
    /// `align`: a token that attends within this many frames of 20 ms of the newest audio, and everything after it, is
    /// not committed; 0…1500.
    package var frameThreshold = 25
    /// `frameThreshold` for the pass that ends an utterance.
    package var closingFrameThreshold = 4
    /// `align`: attention that jumps back by more frames than this invalidates the pass, 0…1500.
    package var rewindThreshold = 200
    /// How much of its 30-second window the encoder processes while an utterance is open.
    package var passContext = AudioContext.auto
    /// `passContext` for the pass that ends an utterance.
    package var closingContext = AudioContext.auto
    /// Seconds of audio before the end of the previous pass that the encoder processes again, with the new audio after
    /// them, 0…30; earlier positions stay as they are. Only with `AudioContext.auto`; the pass that ends an utterance
    /// processes all of its audio.
    package var repeatedAudio = 4.0
    /// Whether a pass uses the text of the previous one as a draft, which saves time and does not change the result.
    public var usesDrafts = true
    /// Whether to drop utterances that consist of a phrase models tend to hallucinate in silence.
    public var filtersPhrases = true
    /// Whether spoken signs, such as "comma" and "new line", are written as signs, in languages that have them.
    public var spokenPunctuation = false
    /// Whether to run every pass even when late, so that the same audio always gives the same result.
    package var isDeterministic = false
    /// Whether to publish finals that the journal could not store.
    package var showsUnsaved = false
    /// Whether to report, as events, where utterances start and end. A journal that fails delays finals, but not events.
    package var reportsUtterances = false
    /// Language, task and prompt; for the policy `utterance`, all options for decoding an utterance. `multilingual` detects
    /// the language of each utterance, unless it is given; otherwise only that of the session is detected.
    public var transcription = TranscriptionOptions()

    /// The language code, such as `de`; `nil` to detect the language.
    public var language: String? {
        get { transcription.language }
        set { transcription.language = newValue }
    }

    public init() {}

    /// Whether an utterance may be in another language than the one before it.
    package var detectsEachLanguage: Bool { transcription.multilingual && language == nil }

    /// Checks that all values are in range.
    ///
    /// - Throws: `StreamingError.outOfRange`.
    package func validate() throws(StreamingError) {
        try Self.require((0.25...2).contains(step), "step", "a number from 0.25 to 2")
        try Self.require((0...2).contains(minimumAudio), "minimum audio", "a number from 0 to 2")
        try Self.require((1...10).contains(agreement), "agreement", "a number from 1 to 10")
        try Self.require((0...10).contains(guardTime), "guard time", "a number from 0 to 10")
        try Self.require((0...1).contains(minimumProbability), "minimum probability", "a number from 0 to 1")
        try Self.require((0...1).contains(volatileProbability), "volatile probability", "a number from 0 to 1")
        try Self.require((0...20).contains(patience), "patience", "a number from 0 to 20")
        try Self.require((1...20).contains(doubtfulBeams), "beams", "a number from 1 to 20")
        try Self.require((0...10).contains(minimumVoice), "minimum voice", "a number from 0 to 10")
        try Self.require((0...10).contains(volatileGuard), "volatile guard", "a number from 0 to 10")
        try Self.require((1...28).contains(maxWindow), "maximum window", "a number from 1 to 28")
        try Self.require((1...maxWindow).contains(trim), "trim", "a number from 1 to the maximum window")
        try Self.require((0...20).contains(carriedAudio), "carried audio", "a number from 0 to 20")
        try Self.require((0.5...10).contains(voiceWithoutText), "voice without text", "a number from 0.5 to 10")
        try Self.require(voiceBeforeText > 0, "voice before text", "a positive number")
        try Self.require((0...100).contains(keepWords), "words to keep", "a number from 0 to 100")
        try Self.require((1...200).contains(maxForcedTokens), "maximum forced tokens", "a number from 1 to 200")
        try Self.require((0...10_000).contains(contextCharacters), "context", "a number from 0 to 10000")
        try Self.require(contextGap >= 0, "context gap", "at least 0")
        try Self.require((0...30).contains(repeatedAudio), "repeated audio", "a number from 0 to 30")
        for frames in [frameThreshold, closingFrameThreshold, rewindThreshold] {
            try Self.require((0...1500).contains(frames), "frame threshold", "a number from 0 to 1500")
        }
    }

    private static func require(_ condition: Bool, _ option: String, _ allowed: String) throws(StreamingError) {
        guard condition else { throw .outOfRange(option: option, allowed: allowed) }
    }
}
