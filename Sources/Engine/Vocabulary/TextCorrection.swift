package import EngineTranscripts

/// Writes finished text as the user's vocabulary says: first spoken signs, then the rules, then terms for words that
/// sound like them.
package struct TextCorrection: Sendable {
    private let rules: RuleMatcher
    private let sounds: SoundMatcher?
    private let punctuation: SpokenPunctuation?

    /// - Parameters:
    ///   - language: the code of the spoken language.
    ///   - hasPunctuation: whether spoken signs are written, in languages that have commands for them.
    ///   - isCommon: whether a word in lower case is frequent in the language.
    package init(
        terms: [Term], rules: [ReplacementRule], language: String, hasPunctuation: Bool = false,
        isCommon: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.rules = RuleMatcher(rules, terms: terms)
        sounds = terms.isEmpty ? nil : SoundMatcher(terms, language: language, isCommon: isCommon)
        punctuation = hasPunctuation ? SpokenPunctuation(language: language) : nil
    }

    /// The text with all changes.
    package func corrected(_ text: String) -> String {
        let characters = Array(text)
        let edits = edits(in: characters)
        return edits.isEmpty ? text : Self.applied(edits, to: characters)
    }

    /// The segment with all changes to its text and its words. New words share the time of those that they replace.
    ///
    /// - Parameters:
    ///   - last: the word before the segment.
    ///   - isEnd: whether the utterance ends with it.
    package func corrected(
        _ segment: TranscriptSegment, after last: TranscriptWord? = nil, isEnd: Bool = true
    ) -> TranscriptSegment {
        var segment = segment
        guard let words = segment.words, words.map(\.word).joined() == segment.text else {
            segment.text = corrected(segment.text)
            segment.words = segment.words.map { corrected($0, after: last, isEnd: isEnd) }
            return segment
        }
        let new = corrected(words, after: last, isEnd: isEnd)
        guard new != words else { return segment }
        segment.words = new
        segment.text = new.map(\.word).joined()
        return segment
    }

    private func corrected(
        _ words: [TranscriptWord], after last: TranscriptWord?, isEnd: Bool
    ) -> [TranscriptWord] {
        let edits = edits(in: TimedText(words), after: last, isEnd: isEnd)
        return edits.isEmpty ? words : WordEdits.applied(edits, to: words)
    }

    /// How many of the first `count` words of an utterance can be separated from the rest, which may still change: not in the
    /// middle of a change, nor after what may be the beginning of a rule's left side or of a spoken sign.
    ///
    /// - Parameter last: the word before them.
    package func wholeCount(of words: [TranscriptWord], _ count: Int, after last: TranscriptWord? = nil) -> Int {
        let text = TimedText(words), edits = edits(in: text, after: last, isEnd: false)
        var count = min(count, words.count)
        while count > 0 {
            let end = text.ends[count - 1]
            var open = rules.openStart(in: Array(text.characters[..<end]))
            if let punctuation {
                let tokens = text.tokens.filter { $0.whole.upperBound <= end }
                let waiting = punctuation.openCount(tokens)
                if waiting > 0 { open = min(open, tokens[tokens.count - waiting].whole.lowerBound) }
            }
            let start = edits.first { $0.range.lowerBound < end && $0.range.upperBound > end }?.range.lowerBound ?? open
            guard min(start, open) < end else { break }
            count = text.ends.firstIndex { $0 > min(start, open) } ?? 0
        }
        return count
    }

    private func edits(in text: TimedText, after last: TranscriptWord?, isEnd: Bool) -> [TextEdit] {
        guard let punctuation else { return edits(in: text.characters) }
        let before = last.flatMap { TimedText([$0]).tokens.last }
        let signs = punctuation.edits(in: text.characters, text.tokens, after: before, isEnd: isEnd)
        return edits(in: text.characters, besides: signs)
    }

    /// - Parameter signs: changes that are made in any case.
    func edits(in text: [Character], besides signs: [TextEdit] = []) -> [TextEdit] {
        let replaced =
            rules.edits(in: text).filter { edit in !signs.contains { $0.range.overlaps(edit.range) } } + signs
        let alike = sounds?.edits(in: text, except: replaced.map(\.range)) ?? []
        return (replaced + alike).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private static func applied(_ edits: [TextEdit], to text: [Character]) -> String {
        var result = "", place = 0
        for edit in edits {
            result += String(text[place..<edit.range.lowerBound]) + edit.text
            place = edit.range.upperBound
        }
        return result + String(text[place...])
    }
}
