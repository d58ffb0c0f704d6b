extension Tokenizer {
    /// Joins ids into words, each with its leading space; punctuation that stands alone is a word.
    ///
    /// Languages written without spaces get one word for each group of ids that makes whole characters. Ids at the end
    /// that make no whole character may be left out, as in openai-whisper's `split_to_word_tokens`.
    ///
    /// - Parameter language: code, name or alias; `nil` for English vocabularies.
    package func splitIntoWords(_ ids: [Int], language: String?) -> [WordTokens] {
        let groups = splitIntoCharacters(ids)
        if let language, let known = try? Language(language), known.splitsWithoutSpaces { return groups }
        var words: [WordTokens] = []
        for group in groups {
            if words.isEmpty || startsWord(group) {
                words.append(group)
            } else {
                words[words.count - 1].word += group.word
                words[words.count - 1].tokens += group.tokens
            }
        }
        return words
    }

    /// The shortest groups of ids that make whole characters, or U+FFFD where the whole text has it too.
    ///
    /// Places in the whole text are counted by the groups' own characters. Where the two disagree, which takes invalid
    /// UTF-8, a group may never close; openai-whisper then drops the rest, and so does this.
    package func splitIntoCharacters(_ ids: [Int]) -> [WordTokens] {
        let whole = Array(decodeWithTimestamps(ids).unicodeScalars)
        var groups: [WordTokens] = []
        var offset = 0
        var group = Group()
        for id in ids {
            let replacement = group.append(id, bytes(of: id))
            if let replacement, offset + replacement >= whole.count || whole[offset + replacement] != "\u{FFFD}" {
                if group.isInvalid { break }
                continue
            }
            let text = String(decoding: group.bytes, as: UTF8.self)
            groups.append(WordTokens(word: text, tokens: group.ids))
            offset += text.unicodeScalars.count
            group = Group()
        }
        return groups
    }

    private struct Group {
        var ids: [Int] = []
        var bytes: [UInt8] = []
        /// U+FFFD that no further byte can repair has been seen.
        var isInvalid = false
        private var assembler = UTF8Assembler()
        private var characterCount = 0

        /// - Returns: the index of the first U+FFFD in the group's text, if there is one.
        mutating func append(_ id: Int, _ piece: [UInt8]) -> Int? {
            ids.append(id)
            bytes += piece
            for scalar in assembler.append(piece).unicodeScalars {
                isInvalid = scalar == "\u{FFFD}"
                if isInvalid { return characterCount }
                characterCount += 1
            }
            return assembler.pending.isEmpty ? nil : characterCount
        }
    }

    private func startsWord(_ group: WordTokens) -> Bool {
        if let first = group.tokens.first, first >= special.endOfText { return true }
        return group.word.unicodeScalars.first == " " || Self.isPunctuation(WhiteSpace.strip(group.word))
    }

    /// Python's `text in string.punctuation`: a part of it, so also "" and neighbours such as `()`.
    private static func isPunctuation(_ text: String) -> Bool {
        let punctuation = Array("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".utf8)
        let text = Array(text.utf8)
        guard let first = text.first else { return true }
        guard let start = punctuation.firstIndex(of: first) else { return false }
        return punctuation[start...].starts(with: text)
    }
}

/// A word of decoded text and the ids that make it.
package struct WordTokens: Hashable, Sendable {
    /// With its leading space.
    package var word: String
    package var tokens: [Int]

    package init(word: String, tokens: [Int]) {
        self.word = word
        self.tokens = tokens
    }
}
