package import EngineTranscripts
import Synchronization

/// The corrections of texts in one or several languages.
package final class TextCorrections: Sendable {
    private let terms: [Term]
    private let rules: [ReplacementRule]
    /// The language of text whose language is unknown.
    private let language: String
    /// Whether all text is in that language, as a translation is.
    private let isTranslated: Bool
    private let hasPunctuation: Bool
    private let isCommon: @Sendable (String) -> Bool
    private let made = Mutex<[String: TextCorrection]>([:])

    /// - Parameters:
    ///   - hasPunctuation: whether spoken signs are written.
    ///   - isCommon: whether a word in lower case is frequent.
    package init(
        terms: [Term], rules: [ReplacementRule], language: String, isTranslated: Bool = false,
        hasPunctuation: Bool = false, isCommon: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        (self.terms, self.rules, self.language) = (terms, rules, language)
        (self.isTranslated, self.hasPunctuation, self.isCommon) = (isTranslated, hasPunctuation, isCommon)
    }

    /// These corrections with more terms; `nil` if there is nothing to correct.
    package func adding(_ more: [Term]) -> TextCorrections? {
        guard !(terms + more).isEmpty || !rules.isEmpty || hasPunctuation else { return nil }
        guard !more.isEmpty else { return self }
        return TextCorrections(
            terms: terms + more.filter { !terms.contains($0) }, rules: rules, language: language,
            isTranslated: isTranslated, hasPunctuation: hasPunctuation, isCommon: isCommon)
    }

    /// The correction for text in a language.
    package func correction(for language: String?) -> TextCorrection {
        let code = isTranslated ? self.language : language ?? self.language
        return made.withLock { made in
            if let correction = made[code] { return correction }
            let correction = TextCorrection(
                terms: terms, rules: rules, language: code, hasPunctuation: hasPunctuation, isCommon: isCommon)
            made[code] = correction
            return correction
        }
    }

    /// - Parameters:
    ///   - language: that of the segment if it does not say so itself.
    ///   - last: the word before the segment.
    ///   - isEnd: whether an utterance ends with it.
    package func corrected(
        _ segment: TranscriptSegment, language: String? = nil, after last: TranscriptWord? = nil, isEnd: Bool = true
    ) -> TranscriptSegment {
        correction(for: segment.language ?? language).corrected(segment, after: last, isEnd: isEnd)
    }
}
