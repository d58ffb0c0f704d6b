import EngineAudio
package import EngineModels

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
