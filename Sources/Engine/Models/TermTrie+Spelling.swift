package import EngineVocabulary

extension TermTrie {
    /// The trie of the terms that a model's search can prefer; `nil` if there are none.
    package init?(_ terms: [Term], _ spelling: any TokenSpelling) {
        let terms = terms.filter { TermProblem($0, for: spelling) == nil }
        if terms.isEmpty { return nil }
        self.init(terms, encode: { spelling.encode($0) }, textBytes: { spelling.textBytes(of: $0) })
    }
}

extension TermSuggestions {
    /// The suggestions of the terms that a model's search can prefer; `nil` if there are none.
    package convenience init?(_ terms: [Term], _ spelling: any TokenSpelling) {
        let terms = terms.filter { TermProblem($0, for: spelling) == nil }
        if terms.isEmpty { return nil }
        self.init(terms, isCommon: { spelling.isFrequent($0) })
    }
}
