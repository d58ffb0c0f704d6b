/// How a live session listens and when it commits words. Times are seconds.
public struct StreamingOptions: Hashable, Sendable {
    /// When words become final.
    public enum Policy: String, Sendable, Hashable, CaseIterable {
        /// When their utterance is over, decoded as a recording of its own would be.
        case utterance
        /// When successive passes agree on them (LocalAgreement).
        case agree
        /// When the network attends to sound well before the end of what was heard (AlignAtt).
        case align
    }

    public var policy: Policy = .align
    /// Distance of the passes over an open utterance, 0.25…2; a multiple of 0.02.
    public var step = 0.5
    /// An utterance shorter than this gets no pass before it ends.
    public var minimumAudio = 0.5
    /// `agree`: passes that must agree, at least 1.
    public var agreement = 2
    /// `agree`: a word that ends later than this before the newest sound waits.
    public var guardTime = 0.5
    /// `agree` and `align`: a word of which the network is less sure waits for more sound, 0…1.
    public var minimumProbability = 0.8
    /// But not longer than this before the newest sound.
    public var patience = 5.0
    /// A word that ends later than this before the newest sound is not even shown: it would change too often.
    public var volatileGuard = 0.1
    /// In the newest second nothing is shown from a word on of which the network is less sure, 0…1.
    public var volatileProbability = 0.4
    /// A window longer than this loses its oldest committed words.
    public var trim = 15.0
    /// Longest window, at most 28; speech without a pause is cut there.
    public var maxWindow = 28.0
    /// Committed words that stay in the window when it slides.
    public var keepWords = 3
    /// More committed tokens than this in the window make it slide.
    public var maxForcedTokens = 200
    /// Most characters of previous text that prompt a pass, 200 in other systems; 0 is no context, which the shipped
    /// model hears best with.
    public var contextCharacters = 0
    /// Silence after which previous text is forgotten.
    public var contextGap = 10.0
    /// `align`: a token that attends within so many frames of 20 ms of the newest sound ends what is certain.
    public var frameThreshold = 25
    /// The same when the utterance is over.
    public var closingFrameThreshold = 4
    /// `align`: attention that jumps back by more frames than this makes a pass void.
    public var rewindThreshold = 200
    /// How much of its 30-second window the encoder looks at while an utterance is open.
    public var passContext = AudioContext.margin(passMargin)
    /// The same when it is over.
    public var closingContext = AudioContext.full
    /// Passes are told what the one before wrote, which makes them quicker and changes nothing else.
    public var usesDrafts = true
    /// Drops an utterance that is nothing but a phrase which models write under silence.
    public var filtersPhrases = true
    /// Never leaves out a pass when late, so that equal sound gives equal results.
    public var isDeterministic = false
    /// Shows finals although the journal could not write them.
    public var showsUnsaved = false
    /// Language, task, prompt and, for the policy `utterance`, everything about the decoding of a finished utterance.
    public var transcription = TranscriptionOptions()

    /// Positions behind the sound in a pass over an open utterance, ten seconds: of the margins that were tried the
    /// least whose finals are as good as those of full windows.
    package static let passMargin = 512

    /// Code of the language; `nil` asks the model.
    public var language: String? {
        get { transcription.decoding.language }
        set { transcription.decoding.language = newValue }
    }

    public init() {}

    /// Refuses what no session could run with.
    public func validate() throws(StreamingError) {
        try Self.require((0.25...2).contains(step), "step", "a number from 0.25 to 2")
        try Self.require((0...2).contains(minimumAudio), "minimum audio", "a number from 0 to 2")
        try Self.require((1...10).contains(agreement), "agreement", "a number from 1 to 10")
        try Self.require((0...10).contains(guardTime), "guard", "a number from 0 to 10")
        try Self.require((0...1).contains(minimumProbability), "least probability", "a number from 0 to 1")
        try Self.require((0...1).contains(volatileProbability), "volatile probability", "a number from 0 to 1")
        try Self.require((0...20).contains(patience), "patience", "a number from 0 to 20")
        try Self.require((0...10).contains(volatileGuard), "volatile guard", "a number from 0 to 10")
        try Self.require((1...28).contains(maxWindow), "longest window", "a number from 1 to 28")
        try Self.require((1...maxWindow).contains(trim), "trim", "a number from 1 to the longest window")
        try Self.require((0...100).contains(keepWords), "words kept", "a number from 0 to 100")
        try Self.require((1...200).contains(maxForcedTokens), "forced tokens", "a number from 1 to 200")
        try Self.require((0...10_000).contains(contextCharacters), "context", "a number from 0 to 10000")
        try Self.require(contextGap >= 0, "context gap", "a number from 0 on")
        for frames in [frameThreshold, closingFrameThreshold, rewindThreshold] {
            try Self.require((0...1500).contains(frames), "frame threshold", "a number from 0 to 1500")
        }
    }

    private static func require(_ condition: Bool, _ option: String, _ allowed: String) throws(StreamingError) {
        guard condition else { throw .outOfRange(option: option, allowed: allowed) }
    }
}
