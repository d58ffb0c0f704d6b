/// Turns spoken commands, such as "comma" and "new line", into signs. A command counts only where it cannot be a word of the
/// sentence: where the model or the speaker made a pause, and not after words such as an article.
package struct SpokenPunctuation: Sendable {
    /// A word with its place in the text and its times in seconds.
    struct Token {
        /// From the first letter or digit to the last.
        var core: Range<Int>
        /// With the signs around it.
        var whole: Range<Int>
        var key: String
        var start: Double
        var end: Double
        /// Whether signs follow it.
        var endsClause: Bool
    }

    /// What a command is replaced by.
    enum Sign: Sendable, Equatable {
        /// It follows the word before it.
        case mark(String)
        /// It precedes the next word.
        case opening(String)
        case lines(String)
    }

    /// How likely the words are no command.
    enum Risk: Sendable {
        /// Nobody says them otherwise.
        case none
        /// A pause must follow.
        case some
        /// There must be pauses on both sides, or they end the utterance.
        case high
    }

    struct Command: Sendable {
        let words: [String]
        let sign: Sign
        let risk: Risk
    }

    private let language: SpokenLanguage
    /// A pause is at least this long, in seconds.
    private static let pause = 0.25

    /// The codes of the languages that have commands.
    package static var languages: [String] { SpokenLanguage.all.keys.sorted() }

    /// - Returns: `nil` for a language without commands.
    package init?(language code: String) {
        guard let language = SpokenLanguage.all[code] else { return nil }
        self.language = language
    }

    /// The changes to a text, in order and without overlap.
    ///
    /// - Parameters:
    ///   - before: the words before it.
    ///   - isEnd: whether the utterance ends with it.
    func edits(in text: [Character], _ tokens: [Token], after before: Token?, isEnd: Bool) -> [TextEdit] {
        var edits: [TextEdit] = [], index = 0
        while index < tokens.count {
            // Commands that follow one another are one change.
            var run: [Command] = [], next = index
            while let command = command(in: tokens, at: next, after: before, isInRun: !run.isEmpty, isEnd: isEnd) {
                run.append(command)
                next += command.words.count
            }
            if !run.isEmpty { edits += self.edits(for: run, index..<next, tokens, in: text, after: before) }
            index = max(next, index + 1)
        }
        return edits
    }

    /// How many tokens at the end may become a command with what follows, together with the word before them.
    func openCount(_ tokens: [Token]) -> Int {
        for start in tokens.indices {
            let rest = tokens[start...].map(\.key)
            guard rest.count <= SpokenLanguage.maxWords,
                language.commands.contains(where: { $0.words.starts(with: rest) })
            else { continue }
            return min(tokens.count, rest.count + 1)
        }
        return 0
    }

    /// The longest command that begins at a token.
    ///
    /// - Parameter isInRun: whether another command is before it.
    private func command(
        in tokens: [Token], at index: Int, after before: Token?, isInRun: Bool, isEnd: Bool
    ) -> Command? {
        let found = language.commands.filter { command in
            index + command.words.count <= tokens.count
                && zip(command.words, tokens[index...]).allSatisfy { $0 == $1.key }
                && tokens[index..<(index + command.words.count - 1)].allSatisfy { !$0.endsClause }
        }
        guard let command = found.max(by: { $0.words.count < $1.words.count }) else { return nil }
        let previous = isInRun ? nil : index > 0 ? tokens[index - 1] : before
        let last = tokens[index + command.words.count - 1]
        let next = index + command.words.count < tokens.count ? tokens[index + command.words.count] : nil
        // Nothing is known of what follows the last word while the utterance goes on.
        if next == nil, !isEnd { return nil }
        let pauseBefore = previous.map { $0.endsClause || tokens[index].start - $0.end >= Self.pause } ?? true
        let end = index + command.words.count
        let pauseAfter =
            last.endsClause || next.map { $0.start - last.end >= Self.pause } ?? true
            || self.command(in: tokens, at: end, after: before, isInRun: true, isEnd: isEnd) != nil
        if let previous, !previous.endsClause, language.precludes(command, previous.key) { return nil }
        switch command.risk {
        case .none: return command
        case .some: return pauseAfter ? command : nil
        case .high: return next == nil || pauseBefore && pauseAfter ? command : nil
        }
    }

    private func edits(
        for run: [Command], _ range: Range<Int>, _ tokens: [Token], in text: [Character], after before: Token?
    ) -> [TextEdit] {
        let last = tokens[range.upperBound - 1]
        let previous = range.lowerBound > 0 ? tokens[range.lowerBound - 1] : nil
        let next = range.upperBound < tokens.count ? tokens[range.upperBound] : nil
        // A sign that the model wrote gives way to the one that was said. A comma before a new line is only its way to write
        // the pause. The word before may be final with its sign, which then stays.
        var start = previous?.whole.upperBound ?? 0
        let signs = previous.map { text[$0.core.upperBound..<$0.whole.upperBound] } ?? []
        let isMark = if case .mark = run[0].sign { true } else { false }
        if let previous, isMark || signs == [","] { start = previous.core.upperBound }
        var written = "", isSentenceStart = false
        var takesMark = previous != nil || before?.endsClause == false
        for command in run {
            switch command.sign {
            case .mark(let sign):
                if takesMark { written += sign }
                isSentenceStart = isSentenceStart || ".?!".contains(sign)
            case .opening(let sign): written += (written.last?.isNewline == true ? "" : " ") + sign
            case .lines(let sign):
                written += sign
                isSentenceStart = true
            }
            takesMark = true
        }
        let endsWord = if case .mark? = run.last?.sign { true } else { false }
        let end = endsWord ? last.whole.upperBound : next?.whole.lowerBound ?? text.count
        let edit = TextEdit(range: start..<end, text: written)
        guard isSentenceStart, let next, text[next.core.lowerBound].isLowercase else { return [edit] }
        let letter = next.core.lowerBound..<(next.core.lowerBound + 1)
        return [edit, TextEdit(range: letter, text: text[next.core.lowerBound].uppercased())]
    }
}

extension SpokenPunctuation {
    /// The tokens of a text, whose words have times.
    ///
    /// - Parameter words: spell the text; ends in it, and times.
    static func tokens(of text: [Character], _ words: [(end: Int, start: Double, stop: Double)]) -> [Token] {
        SoundMatcher.words(of: text).compactMap { range in
            guard let first = range.first(where: { TextRules.isWord(text[$0]) }),
                let last = range.last(where: { TextRules.isWord(text[$0]) }),
                let begin = words.firstIndex(where: { $0.end > first }),
                let stop = words.firstIndex(where: { $0.end > last })
            else { return nil }
            let signs = text[(last + 1)..<range.upperBound]
            return Token(
                core: first..<(last + 1), whole: range,
                key: String(text[first...last].map(TextRules.folded)), start: words[begin].start, end: words[stop].stop,
                endsClause: signs.contains { ".,;:!?…".contains($0) })
        }
    }
}
