import Synchronization

/// Finds words that may be a term that was misheard: less alike than those that are corrected by sound.
package final class TermSuggestions: Sendable {
    private struct Matchers {
        /// For what is corrected in any case.
        let corrected: SoundMatcher
        let suggested: SoundMatcher
    }

    /// Chosen with 120 recordings in English (docs/vocabulary.md); other languages have only letters to compare.
    private static let minLikeness = (english: 0.55, other: 0.7)

    private let terms: [Term]
    private let isCommon: @Sendable (String) -> Bool
    private let made = Mutex<[String: Matchers]>([:])

    /// - Parameter isCommon: whether a word in lower case is frequent.
    package init(_ terms: [Term], isCommon: @escaping @Sendable (String) -> Bool) {
        (self.terms, self.isCommon) = (terms, isCommon)
    }

    /// Stretches of a text with the terms that they may be, the likest first. Some exclude each other. Words that are a term,
    /// or that will be corrected by sound, are left out.
    ///
    /// - Parameter language: the code of the text's language.
    package func edits(in text: [Character], language: String) -> [TextEdit] {
        let matchers = matchers(for: language)
        return matchers.suggested.suggestions(in: text, except: matchers.corrected.places(in: text))
    }

    private func matchers(for language: String) -> Matchers {
        made.withLock { made in
            if let matchers = made[language] { return matchers }
            let matchers = Matchers(
                corrected: SoundMatcher(terms, language: language, isCommon: isCommon),
                suggested: SoundMatcher(
                    terms, language: language,
                    threshold: language == "en" ? Self.minLikeness.english : Self.minLikeness.other,
                    isCommon: isCommon))
            made[language] = matchers
            return matchers
        }
    }
}
