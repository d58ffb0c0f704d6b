import EngineModels

/// A word that was heard, with its place in a piece of audio.
struct ParakeetWord: Hashable, Sendable {
    /// With its punctuation, without spaces.
    var text: String
    var tokens: [Int]
    /// Encoder frames: that of its first token, and the one after its last.
    var start: Int
    var end: Int
    /// Of the tokens.
    var logprobs: [Float]

    /// Marks that belong to the word before them: those of the reference's word times.
    private static let marks = Set("?'¡¿-:,%/.!".map(String.init))
    /// Marks that end a sentence.
    private static let sentenceEnds = Set(".?!…。？！")

    var endsSentence: Bool { text.last.map { Self.sentenceEnds.contains($0) } ?? false }

    /// Joins tokens to words. Tokens that are not text are left out.
    ///
    /// - Parameter hasDurations: whether the model gives tokens a duration, that of marks being wrong: they take no
    /// time and
    ///   follow the token before them.
    static func words(
        of tokens: [ParakeetToken], _ vocabulary: ParakeetVocabulary, hasDurations: Bool
    ) -> [ParakeetWord] {
        var words: [ParakeetWord] = [], lastEnd: Int?
        for token in tokens {
            guard let text = vocabulary.text(of: token.id) else { continue }
            let bare = text.filter { $0 != " " }, isMark = marks.contains(bare)
            var (start, end) = (token.start, token.end)
            if hasDurations, marks.contains(text), let lastEnd { (start, end) = (lastEnd, lastEnd) }
            lastEnd = end
            let begins = text.hasPrefix(" ") && !isMark
            guard begins || words.isEmpty else {
                words[words.count - 1].extend(by: bare, token, end: end)
                continue
            }
            words.append(
                ParakeetWord(text: bare, tokens: [token.id], start: start, end: end, logprobs: [token.logprob]))
        }
        return words.filter { !$0.text.isEmpty }
    }

    private mutating func extend(by text: String, _ token: ParakeetToken, end: Int) {
        self.text += text
        tokens.append(token.id)
        logprobs.append(token.logprob)
        self.end = end
    }
}
