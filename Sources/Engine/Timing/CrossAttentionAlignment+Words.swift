extension CrossAttentionAlignment {
    /// The words whose times are looked for: the text is split with end of text behind it, and the last word, the one
    /// that holds the end, is left out, as in openai-whisper.
    ///
    /// - Parameter language: code, name or alias; `nil` for English vocabularies.
    package static func words(of textTokens: [Int], tokenizer: Tokenizer, language: String?) -> [WordTokens] {
        tokenizer.splitIntoWords(textTokens + [tokenizer.special.endOfText], language: language).dropLast()
    }
}
