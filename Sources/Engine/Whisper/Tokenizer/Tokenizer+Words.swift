import EngineBasics
import EngineModels

extension Tokenizer {
    /// Groups token IDs into words, each with its leading space; standalone punctuation is a separate word.
    ///
    /// In languages written without spaces, each group of IDs that forms whole characters is a word. IDs at the end
    /// that do not form a whole character may be dropped, as in openai-whisper's `split_to_word_tokens`.
    ///
    /// - Parameter language: a code, name or alias; `nil` for English-only vocabularies.
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

    /// Splits IDs into the shortest groups that form whole characters, or U+FFFD where the complete text contains it
    /// too.
    ///
    /// Offsets into the complete text are counted in the groups' own characters. With invalid UTF-8 the two can
    /// disagree and a group may never close; this drops the rest, as openai-whisper does.
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

    /// Returns `ids` without trailing ones that start a character but do not complete it.
    package func withoutPartialCharacter(_ ids: [Int]) -> [Int] {
        var assembler = UTF8Assembler()
        var count = 0
        for (index, id) in ids.enumerated() {
            _ = assembler.append(bytes(of: id))
            if assembler.pending.isEmpty { count = index + 1 }
        }
        return Array(ids.prefix(count))
    }

    private struct Group {
        var ids: [Int] = []
        var bytes: [UInt8] = []
        /// Whether the group contains a U+FFFD that no further byte can repair.
        var isInvalid = false
        private var assembler = UTF8Assembler()
        private var characterCount = 0

        /// - Returns: the index of the first U+FFFD in the group's text, if any.
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

    /// Python's `text in string.punctuation`, a substring test, so also true for "" and for neighbors such as `()`.
    private static func isPunctuation(_ text: String) -> Bool {
        let punctuation = Array("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".utf8)
        let text = Array(text.utf8)
        guard let first = text.first else { return true }
        guard let start = punctuation.firstIndex(of: first) else { return false }
        return punctuation[start...].starts(with: text)
    }
}

/// A word of decoded text and its token IDs.
package struct WordTokens: Hashable, Sendable {
    /// The word including its leading space.
    package var word: String
    package var tokens: [Int]

    package init(word: String, tokens: [Int]) {
        self.word = word
        self.tokens = tokens
    }
}
