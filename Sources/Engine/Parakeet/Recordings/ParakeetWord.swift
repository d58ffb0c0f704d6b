import EngineModels

/// A word that was heard, with its place in a piece of audio.
package struct ParakeetWord: Hashable, Sendable {
    /// With its punctuation, without spaces.
    package var text: String
    package var tokens: [Int]
    /// In encoder frames: where its first token begins, and where its last one ends. Words of the same frame share it.
    package var start: Double
    package var end: Double
    /// Of the tokens.
    var logprobs: [Float]

    package init(text: String, tokens: [Int], start: Double, end: Double, logprobs: [Float]) {
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

    fileprivate mutating func extend(by text: String, _ token: ParakeetToken, end: Double) {
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
    /// Those not taken yet, in frames of their tokens. Further tokens may belong to the last.
    private var words: [ParakeetWord] = []
    private var lastEnd: Double?
    /// Where the last word that was taken ends.
    private var taken = 0.0

    init(_ model: ParakeetModel) {
        vocabulary = model.vocabulary
        hasDurations = model.hasDurations
    }

    mutating func add(_ token: ParakeetToken) {
        guard let text = vocabulary.text(of: token.id) else { return }
        let bare = text.filter { $0 != " " }
        var (start, end) = (Double(token.start), Double(token.end))
        if hasDurations, ParakeetWord.isMark(text), let lastEnd { (start, end) = (lastEnd, lastEnd) }
        lastEnd = end
        let begins = text.hasPrefix(" ") && !ParakeetWord.isMark(bare)
        guard begins || words.isEmpty else { return words[words.count - 1].extend(by: bare, token, end: end) }
        words.append(ParakeetWord(text: bare, tokens: [token.id], start: start, end: end, logprobs: [token.logprob]))
    }

    /// The word that further tokens may belong to.
    var open: ParakeetWord? {
        guard var word = words.last, !word.text.isEmpty else { return nil }
        word.start = max(word.start, taken)
        word.end = max(word.end, word.start)
        return word
    }

    /// Removes the words that are complete.
    ///
    /// - Parameters:
    ///   - isLast: whether there are no more tokens, so that all are.
    ///   - frames: the length of the audio, once it is known.
    mutating func take(isLast: Bool, frames: Double = .infinity) -> [ParakeetWord] {
        let count = isLast ? words.count : max(0, words.count - 1)
        // The last frame may lie beyond the end.
        let latest = max(0, frames - 1)
        var complete: [ParakeetWord] = []
        for index in 0..<count where !words[index].text.isEmpty {
            var word = words[index]
            word.start = max(min(word.start, latest), taken)
            word.end = min(max(word.end, word.start + 1), frames)
            let following = words[(index + 1)...].map { min($0.start, latest) }
            if let next = following.first(where: { $0 > word.start }) { word.end = min(word.end, next) }
            let sharing = following.prefix { $0 <= word.start }.count
            if sharing > 0 {
                let rest = min(word.start.rounded(.down) + 1, word.end) - word.start
                word.end = word.start + rest / Double(sharing + 1)
            }
            taken = word.end
            complete.append(word)
        }
        words.removeFirst(count)
        return complete
    }
}
