import EngineTranscripts

/// Changes words with their times.
enum WordEdits {
    /// - Parameter edits: of the joined text, in order and without overlap.
    static func applied(_ edits: [TextEdit], to words: [TranscriptWord]) -> [TranscriptWord] {
        // Characters may be joined across words, as before a combining mark; those of a word end where the joined text has
        // them.
        let text = TimedText(words)
        let (ends, characters) = (text.ends, text.characters)
        var result: [TranscriptWord] = [], next = 0, index = 0
        /// The leading punctuation of a word of which nothing else is left.
        var carried = ""
        while next < words.count {
            let start = next == 0 ? 0 : ends[next - 1]
            while index < edits.count, edits[index].range.upperBound <= start { index += 1 }
            guard index < edits.count, edits[index].range.lowerBound < ends[next] else {
                var word = words[next]
                word.word = carried + word.word
                carried = ""
                result.append(word)
                next += 1
                continue
            }
            // All words that this change and those that overlap the same words touch.
            var last = next, piece = "", place = start
            while index < edits.count, edits[index].range.lowerBound < ends[last] {
                piece += String(characters[place..<edits[index].range.lowerBound]) + edits[index].text
                place = edits[index].range.upperBound
                while ends[last] < place { last += 1 }
                index += 1
            }
            piece += String(characters[place..<ends[last]])
            let new = shared(carried + piece, by: Array(words[next...last]))
            carried = ""
            if let first = new.first, first.word.contains(where: { $0.isLetter || $0.isNumber }) || new.count > 1 {
                result += new
            } else if let rest = new.first?.word {
                // Punctuation belongs to the word before it.
                if result.isEmpty { carried = rest } else { result[result.count - 1].word += rest }
            }
            next = last + 1
        }
        guard !carried.isEmpty else { return result }
        if !result.isEmpty {
            result[result.count - 1].word += carried
        } else if edits.contains(where: { !$0.text.isEmpty }) {
            // A spoken sign by itself, not what a deleted word has left.
            result = shared(carried, by: words)
        }
        return result
    }

    /// The words of a text, which have the time of others: theirs one by one if there are as many, else shares of the whole by
    /// their length.
    private static func shared(_ text: String, by old: [TranscriptWord]) -> [TranscriptWord] {
        let parts = parts(of: text)
        guard let first = old.first, let last = old.last, !parts.isEmpty else { return [] }
        if parts.count == old.count {
            return zip(parts, old).map { part, word in
                var word = word
                word.word = part
                return word
            }
        }
        let probability = old.reduce(0) { $0 + $1.probability } / Double(old.count)
        let whole = Double(text.count)
        var start = first.start, done = 0
        return parts.enumerated().map { number, part in
            done += part.count
            let isLast = number == parts.count - 1
            let end = isLast ? last.end : min(last.end, first.start + (last.end - first.start) * Double(done) / whole)
            defer { start = end }
            return TranscriptWord(
                word: part, start: start, end: end, probability: probability, speaker: first.speaker)
        }
    }

    /// A text divided before each blank that follows a word.
    private static func parts(of text: String) -> [String] {
        var parts: [String] = [], part = ""
        for character in text {
            if character.isWhitespace, part.contains(where: { !$0.isWhitespace }) {
                parts.append(part)
                part = ""
            }
            part.append(character)
        }
        return part.isEmpty ? parts : parts + [part]
    }
}
