import Foundation
import Testing

@Suite("Language detection")
struct LanguageDetectionTests {
    @Test("probabilities are normalized over the languages", arguments: [51_865, 51_866])
    func share(size: Int) throws {
        let specials = SpecialTokens(vocabularySize: size)
        let scorer = ScriptedScorer(vocabularySize: size) { _ in
            var row = [Float](repeating: 0, count: size)
            row[100] = 50
            row[specials.firstLanguage + 2] = 3
            return row
        }
        let detection = try LanguageDetection(scorer: scorer, specials: specials)
        #expect(scorer.rows == [[specials.startOfTranscript]])
        #expect(detection.best == specials.firstLanguage + 2)
        #expect(Set(detection.probabilities.keys) == Set(specials.languages))
        let sum = Double(specials.languageCount - 1) + exp(3.0)
        #expect(abs((detection.probabilities[detection.best] ?? 0) - exp(3.0) / sum) < 1e-6)
        #expect(abs(detection.probabilities.values.reduce(0, +) - 1) < 1e-5)
    }

    @Test(
        "on ties the first language wins; logits that are not numbers do not trap",
        arguments: [0, -Float.infinity, .nan])
    func ties(value: Float) {
        let specials = SpecialTokens(vocabularySize: 51_865)
        let detection = LanguageDetection(
            logits: [Float](repeating: value, count: 51_865), languages: specials.languages)
        #expect(detection.best == specials.firstLanguage)
        #expect(detection.probabilities.values.allSatisfy { $0.isFinite })
    }

    @Test("detection chooses from the given languages, or from all if none are given; on ties the first wins")
    func restricted() {
        let specials = SpecialTokens(vocabularySize: 51_865)
        let first = specials.firstLanguage
        var logits = [Float](repeating: 0, count: 51_865)
        (logits[first + 1], logits[first + 4], logits[first + 7]) = (5, 3, 3)
        let detection = LanguageDetection(logits: logits, languages: specials.languages)
        #expect(detection.best(among: []) == first + 1)
        #expect(detection.best(among: [first + 9, first + 7, first + 4]) == first + 4)
        #expect(detection.best(among: [first + 9]) == first + 9)
        #expect(detection.best(among: [3]) == first + 1)
    }

    @Test("English-only models and other vocabulary sizes are rejected")
    func english() {
        let scorer = ScriptedScorer(vocabularySize: 51_864) { _ in [Float](repeating: 0, count: 51_864) }
        #expect(throws: DecodingError.noLanguages) {
            try LanguageDetection(scorer: scorer, specials: SpecialTokens(vocabularySize: 51_864))
        }
        #expect(throws: DecodingError.wrongVocabulary(network: 51_864, tokenizer: 51_865)) {
            try LanguageDetection(scorer: scorer, specials: SpecialTokens(vocabularySize: 51_865))
        }
    }
}
