/// Ids of the tokens that are not text, all derived from the size of the vocabulary.
///
/// Order of ids: ordinary pieces, end of text, start of transcript, one per language, translate, transcribe,
/// start of language model, start of previous text, no speech, no timestamps, 1501 timestamps of 0.02 s.
public struct SpecialTokens: Hashable, Sendable {
    /// Ids of the whole vocabulary.
    public let vocabularySize: Int
    public let isMultilingual: Bool
    /// 99, or 100 with Cantonese. English vocabularies hold the 99 too, unused.
    public let languageCount: Int

    /// - Parameter vocabularySize: 51864 (English), 51865 or 51866 (multilingual, 99 or 100 languages).
    public init(vocabularySize: Int) {
        self.vocabularySize = vocabularySize
        isMultilingual = vocabularySize >= 51_865
        // A size that no model has must not make a negative count.
        languageCount = max(vocabularySize, 51_765 + (isMultilingual ? 1 : 0)) - 51_765 - (isMultilingual ? 1 : 0)
    }

    public var endOfText: Int { 50_256 + (isMultilingual ? 1 : 0) }
    public var startOfTranscript: Int { endOfText + 1 }
    public var firstLanguage: Int { startOfTranscript + 1 }
    public var languages: Range<Int> { firstLanguage..<(firstLanguage + languageCount) }
    public var translate: Int { firstLanguage + languageCount }
    public var transcribe: Int { translate + 1 }
    public var startOfLanguageModel: Int { translate + 2 }
    public var startOfPrevious: Int { translate + 3 }
    public var noSpeech: Int { translate + 4 }
    public var noTimestamps: Int { translate + 5 }
    /// `<|0.00|>`; from here on every id is a time.
    public var firstTimestamp: Int { translate + 6 }
    /// `<|30.00|>`.
    public var lastTimestamp: Int { vocabularySize - 1 }
}
