/// Words that a window heard again because the one before had heard them already.
package enum OverlapRule {
    /// Most words looked at.
    private static let reach = 5
    private static let nearSamples = AudioChunk.sampleRate
    private static let slackSamples = AudioChunk.sampleRate / 10

    /// How many words at the beginning of `words` repeat the last finals: the longest match, and only words whose
    /// middle lies in sound that is final. A spoken repetition comes later and stays.
    ///
    /// - Parameter finalEnd: sample at which the last final ends.
    package static func repeated(in words: [LiveWord], after finals: [LiveWord], finalEnd: Int) -> Int {
        guard let first = words.first, abs(first.start - finalEnd) < nearSamples else { return 0 }
        for count in stride(from: min(reach, finals.count, words.count), to: 0, by: -1) {
            let isMatch = zip(finals.suffix(count), words).allSatisfy { final, word in
                final.key == word.key && (word.start + word.end) / 2 < finalEnd + slackSamples
            }
            if isMatch { return count }
        }
        return 0
    }
}
