import EngineModels

/// A word that was heard, with its place in a piece of audio.
package struct ParakeetWord: Hashable, Sendable {
    /// With its punctuation, without spaces.
    package var text: String
    package var tokens: [Int]
    /// Encoder frames: that of its first token, and the one after its last.
    package var start: Int
    package var end: Int
    /// Of the tokens.
    var logprobs: [Float]

    package init(text: String, tokens: [Int], start: Int, end: Int, logprobs: [Float]) {
        self.text = text
        self.tokens = tokens
        self.start = start
        self.end = end
        self.logprobs = logprobs
    }

    /// Marks that belong to the word before them: those of the reference's word times.
    private static let marks = Set("?'¡¿-:,%/.!".map(String.init))
    /// Marks that end a sentence.
    private static let sentenceEnds = Set(".?!…。？！")

    var endsSentence: Bool { text.last.map { Self.sentenceEnds.contains($0) } ?? false }

    static func isMark(_ text: String) -> Bool { marks.contains(text) }

    fileprivate mutating func extend(by text: String, _ token: ParakeetToken, end: Int) {
        self.text += text
        tokens.append(token.id)
        logprobs.append(token.logprob)
        self.end = end
    }
}

/// Joins tokens to words, one after another. Tokens that are not text are left out.
struct WordBuilder {
    private let vocabulary: ParakeetVocabulary
    /// Whether the model gives tokens a duration, that of marks being wrong: they take no time and follow the token
    /// before them.
    private let hasDurations: Bool
    /// Those not taken yet. Further tokens may belong to the last.
    private var words: [ParakeetWord] = []
    private var lastEnd: Int?

    init(_ model: ParakeetModel) {
        vocabulary = model.vocabulary
        hasDurations = model.hasDurations
    }

    mutating func add(_ token: ParakeetToken) {
        guard let text = vocabulary.text(of: token.id) else { return }
        let bare = text.filter { $0 != " " }
        var (start, end) = (token.start, token.end)
        if hasDurations, ParakeetWord.isMark(text), let lastEnd { (start, end) = (lastEnd, lastEnd) }
        lastEnd = end
        let begins = text.hasPrefix(" ") && !ParakeetWord.isMark(bare)
        guard begins || words.isEmpty else { return words[words.count - 1].extend(by: bare, token, end: end) }
        words.append(ParakeetWord(text: bare, tokens: [token.id], start: start, end: end, logprobs: [token.logprob]))
    }

    /// The word that further tokens may belong to.
    var open: ParakeetWord? { words.last.flatMap { $0.text.isEmpty ? nil : $0 } }

    /// Removes the words that are complete.
    ///
    /// - Parameter isLast: whether there are no more tokens, so that all are.
    mutating func take(isLast: Bool) -> [ParakeetWord] {
        let count = isLast ? words.count : max(0, words.count - 1)
        defer { words.removeFirst(count) }
        return words.prefix(count).filter { !$0.text.isEmpty }
    }
}
