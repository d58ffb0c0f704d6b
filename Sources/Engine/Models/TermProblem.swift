package import EngineVocabulary

/// Why a term is not preferred by the search and not looked for by its sound.
package enum TermProblem: Sendable, Hashable, CaseIterable {
    /// One or two letters are heard everywhere.
    case short
    /// It is a frequent word.
    case frequent
    /// It has more tokens than the search follows.
    case long
    /// It has characters that the model does not write.
    case unknown

    /// A term has at most this many tokens.
    package static let maxTokens = 30
    private static let minCharacters = 3

    private static func letters(_ text: String) -> String {
        String(text.lowercased().filter { !$0.isWhitespace })
    }

    /// - Returns: `nil` if there is nothing wrong with the term.
    package init?(_ term: Term, for spelling: any TokenSpelling) {
        let tokens = spelling.encode(" " + term.text)
        if term.text.count(where: { $0.isLetter || $0.isNumber }) < Self.minCharacters {
            self = .short
        } else if Self.letters(spelling.text(of: tokens)) != Self.letters(term.text) {
            self = .unknown
        } else if spelling.isFrequent(term.text.lowercased()) {
            self = .frequent
        } else if tokens.count > Self.maxTokens {
            self = .long
        } else {
            return nil
        }
    }
}

extension TermProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .short: "too short: it would be heard in other words"
        case .frequent: "a frequent word, which is recognized without help"
        case .long: "more than \(Self.maxTokens) tokens; write the part that is misheard"
        case .unknown: "in letters that the model does not write"
        }
    }
}
