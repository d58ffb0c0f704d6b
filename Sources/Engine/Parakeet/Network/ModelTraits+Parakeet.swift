package import EngineModels

extension ModelTraits {
    /// The languages of parakeet-tdt-0.6b-v3.
    private static let languages = [
        "en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "bg", "cs", "da", "el", "et", "fi", "hr", "hu",
        "lt", "lv", "mt", "ro", "sk", "sl", "sv",
    ]

    /// The traits of a Parakeet model.
    package init(_ dimensions: ParakeetDimensions, _ vocabulary: ParakeetVocabulary) {
        let prompts = dimensions.streaming?.prompts
        // Multilingual vocabularies have a token for each language, although it is never generated.
        let languages = Language.all.filter { language in
            if let prompts { return prompts.number(of: language.code) != nil }
            return Self.languages.contains(language.code) && vocabulary.contains("<|\(language.code)|>")
        }
        self.init(
            family: dimensions.streaming != nil
                ? "Parakeet streaming" : dimensions.head == .ctc ? "Parakeet CTC" : "Parakeet",
            languages: languages.isEmpty ? Array(Language.all.prefix(1)) : languages,
            vocabularySize: dimensions.vocabulary, longestWindow: ParakeetModel.longestPiece)
        hearsStreams = dimensions.streaming != nil
        usesDetectedSpeech = !hearsStreams
        takesLanguage = prompts != nil && isMultilingual
        if dimensions.head != .ctc, !hearsStreams { beams = 1 }
    }
}
