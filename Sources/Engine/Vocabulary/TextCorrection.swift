package import EngineTranscripts

/// Writes finished text as the user's vocabulary says: first the rules, then terms for words that sound like them.
package struct TextCorrection: Sendable {
    private let rules: RuleMatcher
    private let sounds: SoundMatcher?

    /// - Parameters:
    ///   - language: the code of the spoken language.
    ///   - isCommon: whether a word in lower case is frequent in the language.
    package init(
        terms: [Term], rules: [ReplacementRule], language: String,
        isCommon: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.rules = RuleMatcher(rules, terms: terms)
        sounds = terms.isEmpty ? nil : SoundMatcher(terms, language: language, isCommon: isCommon)
    }

    /// The text with all changes.
    package func corrected(_ text: String) -> String {
        let characters = Array(text)
        let edits = edits(in: characters)
        return edits.isEmpty ? text : Self.applied(edits, to: characters)
    }

    /// The segment with all changes to its text and its words. New words share the time of those that they replace.
    package func corrected(_ segment: TranscriptSegment) -> TranscriptSegment {
        var segment = segment
        guard let words = segment.words, words.map(\.word).joined() == segment.text else {
            segment.text = corrected(segment.text)
            segment.words = segment.words.map { corrected($0) }
            return segment
        }
        let new = corrected(words)
        guard new != words else { return segment }
        segment.words = new
        segment.text = new.map(\.word).joined()
        return segment
    }

    private func corrected(_ words: [TranscriptWord]) -> [TranscriptWord] {
        let edits = edits(in: Array(words.map(\.word).joined()))
        return edits.isEmpty ? words : WordEdits.applied(edits, to: words)
    }

    /// How many of the first `count` words of a text can be separated from the rest, which may still change: not in the middle
    /// of a change, nor after what may be the beginning of a rule's left side.
    package func wholeCount(of words: [String], _ count: Int) -> Int {
        var ends: [Int] = [], text = ""
        for word in words {
            text += word
            ends.append(text.count)
        }
        let characters = Array(text)
        let edits = edits(in: characters)
        var count = min(count, words.count)
        while count > 0 {
            let end = ends[count - 1]
            let open = rules.openStart(in: Array(characters[..<end]))
            let start = edits.first { $0.range.lowerBound < end && $0.range.upperBound > end }?.range.lowerBound ?? open
            guard min(start, open) < end else { break }
            count = ends.firstIndex { $0 > min(start, open) } ?? 0
        }
        return count
    }

    func edits(in text: [Character]) -> [TextEdit] {
        let replaced = rules.edits(in: text)
        guard let sounds else { return replaced }
        let alike = sounds.edits(in: text, except: replaced.map(\.range))
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
