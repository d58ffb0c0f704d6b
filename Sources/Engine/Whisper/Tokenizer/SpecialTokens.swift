import EngineBasics
import EngineModels

/// IDs of the tokens that are not text, all derived from the vocabulary size.
///
/// Order of IDs: ordinary pieces, end of text, start of transcript, one per language, translate, transcribe, start of
/// language model, start of previous text, no speech, no timestamps, 1501 timestamps in steps of 0.02 s.
package struct SpecialTokens: Hashable, Sendable {
    /// The number of IDs, including special tokens.
    package let vocabularySize: Int
    package let isMultilingual: Bool
    /// 99, or 100 with Cantonese. English-only vocabularies contain the 99 too, unused.
    package let languageCount: Int

    /// - Parameter vocabularySize: 51864 (English-only), 51865 or 51866 (multilingual with 99 or 100 languages).
    package init(vocabularySize: Int) {
        self.vocabularySize = vocabularySize
        isMultilingual = vocabularySize >= 51_865
        // Prevents a negative count for sizes that no model has.
        languageCount = max(vocabularySize, 51_765 + (isMultilingual ? 1 : 0)) - 51_765 - (isMultilingual ? 1 : 0)
    }

    package var endOfText: Int { 50_256 + (isMultilingual ? 1 : 0) }
    package var startOfTranscript: Int { endOfText + 1 }
    package var firstLanguage: Int { startOfTranscript + 1 }
    package var languages: Range<Int> { firstLanguage..<(firstLanguage + languageCount) }
    package var translate: Int { firstLanguage + languageCount }
    package var transcribe: Int { translate + 1 }
    package var startOfLanguageModel: Int { translate + 2 }
    package var startOfPrevious: Int { translate + 3 }
    package var noSpeech: Int { translate + 4 }
    package var noTimestamps: Int { translate + 5 }
    /// `<|0.00|>`; every ID from here on is a timestamp.
    package var firstTimestamp: Int { translate + 6 }
}

extension SpecialTokens {
    /// The name of a special token, such as `<|endoftext|>` or `<|1.08|>`; `nil` if `id` is text or unknown.
    package func name(of id: Int) -> String? {
        guard id >= endOfText, id < vocabularySize else { return nil }
        if id >= firstTimestamp {
            let hundredths = (id - firstTimestamp) * 2
            return "<|\(hundredths / 100).\(Digits.decimal(hundredths % 100))|>"
        }
        if languages.contains(id) {
            let index = id - firstLanguage
            return index < Language.all.count ? "<|\(Language.all[index].code)|>" : nil
        }
        return switch id {
        case endOfText: "<|endoftext|>"
        case startOfTranscript: "<|startoftranscript|>"
        case translate: "<|translate|>"
        case transcribe: "<|transcribe|>"
        case startOfLanguageModel: "<|startoflm|>"
        case startOfPrevious: "<|startofprev|>"
        case noSpeech: "<|nospeech|>"
        default: "<|notimestamps|>"
        }
    }
}
