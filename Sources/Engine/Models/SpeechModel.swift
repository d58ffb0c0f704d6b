package import EngineAudio
package import EngineBasics
package import EngineCompute
import EngineVoices
package import EngineWeights

/// A network that turns speech into text, as the rest of the engine sees it. Each family of models, such as Whisper, is
/// a module of its own with one implementation.
///
/// A model is immutable. What decodes with it has its own memory: a workspace for recordings, one after another; a
/// batch for several parts of a recording at a time; a live decoder for a session.
package protocol SpeechModel: AnyObject, Sendable {
    var traits: ModelTraits { get }
    /// What its tokens spell.
    var spelling: any TokenSpelling { get }
    var backend: any ComputeBackend { get }
    /// Problems with the weights that do not prevent using the model.
    var warnings: [ModelWarning] { get }
    /// Where its large weights are.
    var packedWeights: PackedWeights { get }

    /// Memory for decoding recordings.
    ///
    /// - Parameters:
    ///   - options: of the next recording.
    ///   - last: an earlier workspace of this model, no longer in use, whose memory may be used again.
    func workspace(
        for options: TranscriptionOptions, reusing last: (any DecodingWorkspace)?
    ) throws -> any DecodingWorkspace

    /// Memory for decoding `slots` chunks of recordings at a time.
    func batch(slots: Int, options: TranscriptionOptions) throws -> any BatchDecoder

    /// A decoder for a live session.
    ///
    /// - Parameter cancellation: checked between tokens.
    func liveDecoder(_ options: StreamingOptions, cancellation: CancellationFlag) -> any LiveDecoder

    /// Prepares to decode a window for measurements.
    ///
    /// - Parameters:
    ///   - samples: at most `ModelTraits.longestWindow`. What they contain need not matter.
    ///   - tokens: how many tokens to decode, if the model `usesWhisperOptions`.
    ///   - beamSize: number of beams, if it has a beam search.
    func timer(of samples: [Float], tokens: Int, beamSize: Int) throws -> any WindowTimer

    /// The part of the network that an operation belongs to; `nil` if it is not worth a name.
    func part(of operation: NetworkOperation) -> ModelPart?

    /// Work that can begin while a recording is being read; `nil` if there is none.
    func scan(of samples: SampleStore) -> (any RecordingScan)?
}

extension SpeechModel {
    package func part(of operation: NetworkOperation) -> ModelPart? { nil }
}

/// What is known of a model without decoding anything.
package struct ModelTraits: Sendable, Hashable {
    /// How well a model translates into English.
    package enum Translation: Sendable, Hashable {
        /// Not at all.
        case none
        /// It has the tokens for it, but was not trained to.
        case untrained
        case trained
    }

    /// The name of its family, such as `Whisper`.
    package var family: String
    /// The languages that it transcribes; at least one.
    package var languages: [Language]
    package var translation = Translation.none
    /// Whether it has any use for `TranscriptionOptions.whisper`.
    package var usesWhisperOptions = false
    /// Number of beams of its search unless another is requested; `nil` if it has no beam search.
    package var beams: Int?
    /// Whether a language option changes what it recognizes. Otherwise it detects the language itself, and the option only
    /// appears in the transcript.
    package var takesLanguage = true
    /// Whether it only hears the speech that a detector finds, or guards use it. Otherwise it hears everything.
    package var usesDetectedSpeech = true
    /// Whether it was trained for live audio, of which it hears each sample once.
    package var hearsStreams = false
    /// Maximum number of tokens of a prompt; `nil` if it takes none.
    package var maxPromptTokens: Int?
    /// Number of tokens that it may generate.
    package var vocabularySize: Int
    /// The longest audio that it hears at once, in seconds. Longer recordings are divided.
    package var longestWindow: Double
    /// Whether it is the demonstration that comes with the program, which knows a few hundred words.
    package var isDemonstration = false

    package init(family: String, languages: [Language], vocabularySize: Int, longestWindow: Double) {
        self.family = family
        self.languages = languages
        self.vocabularySize = vocabularySize
        self.longestWindow = longestWindow
    }

    package var isMultilingual: Bool { languages.count > 1 }

    /// Whether it transcribes the language with a code.
    package func knows(_ code: String) -> Bool { languages.contains { $0.code == code } }

    /// Which of some languages it knows; all that it knows if there is none of them.
    ///
    /// - Parameter codes: empty for any language.
    package func codes(_ codes: [String]) -> [String] {
        let known = codes.filter(knows)
        return known.isEmpty ? languages.map(\.code) : known
    }

    /// Rejects languages that do not exist, and those of which the model knows none.
    package func check(languages codes: [String]) throws(Language.LookupError) {
        var all: [Language] = []
        for code in codes { all.append(try Language(code)) }
        if let first = all.first, !all.contains(where: { knows($0.code) }) {
            throw .notInVocabulary(code: first.code, name: first.name, languages: languages.count)
        }
    }

    /// The code of the language of a recording in which nothing is heard.
    package var silentLanguage: String { languages[0].code }

    /// The code of the language of a recording if it need not be detected.
    ///
    /// - Parameter recording: without speech, there is nothing to detect the language from; `nil` if it has not been
    /// read.
    package func language(
        for options: TranscriptionOptions, hearing recording: RecordingSummary? = nil
    ) -> String? {
        guard isMultilingual else { return silentLanguage }
        return options.language ?? (recording?.speech?.kept.count == 0 ? silentLanguage : nil)
    }
}

/// What the tokens of a model spell.
package protocol TokenSpelling: Sendable {
    /// The bytes that a token adds to the text; `nil` if it is not text.
    func textBytes(of token: Int) -> [UInt8]?
    /// The text that tokens spell; tokens that are not text are left out.
    func text(of tokens: [Int]) -> String
    /// The tokens that spell a text.
    func encode(_ text: String) -> [Int]
}

extension TokenSpelling {
    /// Vocabularies are in the order of frequency; this many tokens contain the five thousand most frequent words of English.
    private static var frequentTokens: Int { 12_000 }

    /// Whether a word is frequent, according to the model's vocabulary.
    ///
    /// - Parameter word: in lower case.
    package func isFrequent(_ word: String) -> Bool {
        let tokens = encode(" " + word)
        return tokens.count == 1 && tokens[0] < Self.frequentTokens
    }
}
