import EngineVocabulary

extension TermTrie {
    /// The trie of some terms; `nil` without terms.
    init?(_ terms: [Term], _ tokenizer: Tokenizer) {
        if terms.isEmpty { return nil }
        self.init(terms, encode: tokenizer.encode, textBytes: tokenizer.textBytes)
    }
}
