/// Which language is spoken, asked of the decoder with the start token alone.
package struct LanguageDetection: Hashable, Sendable {
    /// Probability of each language token, the others left out of the sum.
    package let probabilities: [Int: Double]
    /// The likeliest language token, the lowest id on ties.
    package let best: Int

    /// - Parameters:
    ///   - logits: of the position after the start token.
    ///   - languages: ids of the language tokens, at least one.
    package init(logits: [Float], languages: Range<Int>) {
        let row = Array(logits[languages])
        let logProbability = LogProbabilities(row)
        probabilities = Dictionary(
            uniqueKeysWithValues: zip(languages, row.map { logProbability.probability($0) }))
        best = languages.lowerBound + (LogProbabilities.best(row) ?? 0)
    }

    /// Asks the scorer, whose rows are lost by it.
    ///
    /// - Throws: `DecodingError.noLanguages` for an English vocabulary, and what the scorer throws.
    package init(scorer: any TokenScorer, specials: SpecialTokens) throws {
        guard specials.isMultilingual else { throw DecodingError.noLanguages }
        try DecodingError.checkVocabulary(of: scorer, specials: specials)
        let logits = try scorer.start([specials.startOfTranscript], logitsAt: [0])
        self.init(logits: logits[0], languages: specials.languages)
    }
}
