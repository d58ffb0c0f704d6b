import EngineAudio

/// A word of a pass over live audio; times are samples on the session clock.
package struct LiveWord: Hashable, Sendable {
    /// The text with its leading space and punctuation.
    package var text: String
    package var tokens: [Int]
    package var start: Int
    package var end: Int
    /// Mean probability of the tokens.
    package var probability: Double
    /// Whether attention stayed well before the end of the audio while the word was generated.
    package var isStable: Bool

    package init(
        text: String, tokens: [Int] = [], start: Int, end: Int, probability: Double = 1, isStable: Bool = false
    ) {
        self.text = text
        self.tokens = tokens
        self.start = start
        self.end = end
        self.probability = probability
        self.isStable = isStable
    }

    /// The text by which two words count as the same: lower case, without surrounding punctuation, or the text itself
    /// if it consists of nothing else. Swift compares composed and decomposed letters as equal.
    package var key: String { Self.key(of: text) }

    package static func key(of text: String) -> String {
        func isOutside(_ character: Character) -> Bool { character.isPunctuation || character.isWhitespace }
        guard let first = text.firstIndex(where: { !isOutside($0) }),
            let last = text.lastIndex(where: { !isOutside($0) })
        else { return text }
        return text[first...last].lowercased()
    }
}

/// Removes words that a pass repeats.
package enum WordDeduplication {
    /// Maximum number of words compared at a window border.
    private static let maxOverlap = 5
    private static let maxDistance = AudioChunk.sampleRate
    private static let tolerance = AudioChunk.sampleRate / 10
    private static let echoSamples = AudioChunk.sampleRate / 20

    /// Returns how many leading `words` repeat the last finals at the border of two windows.
    ///
    /// Takes the longest match, and only words whose center lies in audio that is already final. Words that were really
    /// said twice come later and are kept.
    ///
    /// - Parameter finalEnd: the sample at which the last final ends.
    package static func overlap(of words: [LiveWord], with finals: [LiveWord], finalEnd: Int) -> Int {
        guard let first = words.first, abs(first.start - finalEnd) < maxDistance else { return 0 }
        for count in stride(from: min(maxOverlap, finals.count, words.count), to: 0, by: -1) {
            let isMatch = zip(finals.suffix(count), words).allSatisfy { final, word in
                final.key == word.key && (word.start + word.end) / 2 < finalEnd + tolerance
            }
            if isMatch { return count }
        }
        return 0
    }

    /// Returns `words` without those that repeat the previous word in less than 50 ms, which is too short to speak.
    package static func removingEchoes(_ words: ArraySlice<LiveWord>) -> [LiveWord] {
        var kept: [LiveWord] = []
        for word in words {
            if let last = kept.last, last.key == word.key, word.end - word.start < echoSamples { continue }
            kept.append(word)
        }
        return kept
    }
}
