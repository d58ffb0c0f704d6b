package import EngineModels

extension ModelTraits {
    /// The languages of parakeet-tdt-0.6b-v3.
    private static let languages = [
        "en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "bg", "cs", "da", "el", "et", "fi", "hr", "hu",
        "lt", "lv", "mt", "ro", "sk", "sl", "sv",
    ]

    /// The traits of a Parakeet model.
    package init(_ dimensions: ParakeetDimensions, _ vocabulary: ParakeetVocabulary) {
        // Multilingual vocabularies have a token for each language, although it is never generated.
        let codes = Self.languages.filter { vocabulary.contains("<|\($0)|>") }
        let languages = Language.all.filter { codes.contains($0.code) }
        self.init(
            family: dimensions.head == .ctc ? "Parakeet CTC" : "Parakeet",
            languages: languages.isEmpty ? Array(Language.all.prefix(1)) : languages,
            vocabularySize: dimensions.vocabulary, longestWindow: ParakeetModel.longestPiece)
        takesLanguage = false
        if dimensions.head != .ctc { beams = 1 }
    }
}
