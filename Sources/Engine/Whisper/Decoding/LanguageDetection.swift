/// The spoken language, detected by running the decoder on the start token alone.
package struct LanguageDetection: Hashable, Sendable {
    /// Probability of each language token, normalized over the language tokens.
    package let probabilities: [Int: Double]
    /// The most likely language token, the lowest id on ties.
    package let best: Int
    /// Probability among all tokens that there is no speech; 0 if it was not computed.
    package private(set) var noSpeechProb = 0.0

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

    /// The most likely of some language tokens, the lowest id on ties; of all of them if none are given.
    package func best(among tokens: [Int]) -> Int {
        let candidates = tokens.filter { probabilities[$0] != nil }.sorted()
        return candidates.max { (probabilities[$0] ?? 0, $1) < (probabilities[$1] ?? 0, $0) } ?? best
    }

    /// Runs the scorer, discarding its rows.
    ///
    /// - Throws: `DecodingError.noLanguages` for an English-only vocabulary, `DecodingError.wrongVocabulary`, and errors
    ///   of the scorer.
    package init(scorer: any TokenScorer, specials: SpecialTokens) throws {
        guard specials.isMultilingual else { throw DecodingError.noLanguages }
        guard scorer.vocabularySize == specials.vocabularySize else {
            throw DecodingError.wrongVocabulary(
                network: scorer.vocabularySize, tokenizer: specials.vocabularySize)
        }
        let logits = try scorer.start([specials.startOfTranscript], logitsAt: [0])
        self.init(logits: logits[0], languages: specials.languages)
        noSpeechProb = LogProbabilities(logits[0]).probability(logits[0][specials.noSpeech])
    }
}
