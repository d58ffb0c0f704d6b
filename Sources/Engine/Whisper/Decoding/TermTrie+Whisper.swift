import EngineModels
import EngineVocabulary

extension TermTrie {
    /// The trie of the terms that the search can prefer; `nil` if there are none.
    init?(_ terms: [Term], _ tokenizer: Tokenizer) {
        let terms = terms.filter { TermProblem($0, for: tokenizer) == nil }
        if terms.isEmpty { return nil }
        self.init(terms, encode: tokenizer.encode, textBytes: tokenizer.textBytes)
    }
}
