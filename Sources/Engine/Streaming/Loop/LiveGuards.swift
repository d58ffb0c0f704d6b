/// Tests against text that was not spoken.
package enum LiveGuards {
    package enum Verdict: Sendable, Hashable {
        case accepted
        /// Nobody spoke: the pass has nothing to say.
        case silence
        /// The text repeats itself or is too fast to be spoken: another try may be better.
        case invented
    }

    /// Whisper's own limits.
    private static let noSpeechThreshold = 0.6
    private static let logprobThreshold = -1.0
    private static let ratioThreshold = 2.4
    /// Nobody speaks faster for long.
    private static let wordsPerSecond = 8.0
    private static let fewestFastWords = 16
    private static let fewestRepetitions = 4
    private static let longestRepetition = 5
    private static let shortWordSamples = Double(AudioChunk.sampleRate) * 0.15
    private static let echoSamples = AudioChunk.sampleRate / 20
    private static let phraseNoSpeech = 0.3
    private static let improbable = 0.3

    /// - Parameter isWhole: the pass is all that its utterance says so far, so that it may be a phrase of credits.
    package static func verdict(on pass: LivePass, isWhole: Bool, filtersPhrases: Bool) -> Verdict {
        if pass.noSpeechProb > noSpeechThreshold, pass.avgLogprob < logprobThreshold { return .silence }
        if filtersPhrases, isWhole, pass.noSpeechProb > phraseNoSpeech, isPhrase(pass.words) { return .silence }
        if pass.isRepetitive || pass.compressionRatio > ratioThreshold { return .invented }
        return isTooFast(pass.words) || isLoop(pass.words) ? .invented : .accepted
    }

    /// Whether a word stands in silence and is hardly believed by the network itself.
    package static func isInvented(_ word: LiveWord, voiced: [Range<Int>]) -> Bool {
        guard word.probability < improbable, word.end > word.start else { return false }
        let heard = voiced.reduce(0) { $0 + $1.clamped(to: word.start..<word.end).count }
        return Double(heard) <= 0.1 * Double(word.end - word.start)
    }

    /// Without words that repeat the one before and take no time: nobody says a word in 50 ms.
    package static func withoutEchoes(_ words: ArraySlice<LiveWord>) -> [LiveWord] {
        var kept: [LiveWord] = []
        for word in words {
            if let last = kept.last, last.key == word.key, word.end - word.start < echoSamples { continue }
            kept.append(word)
        }
        return kept
    }

    private static func isTooFast(_ words: [LiveWord]) -> Bool {
        guard words.count >= fewestFastWords, let first = words.first, let last = words.last else { return false }
        let seconds = Double(last.end - first.start) / Double(AudioChunk.sampleRate)
        return Double(words.count) > wordsPerSecond * seconds
    }

    /// The same few words again and again, too quick to be spoken; spoken repetitions take time.
    private static func isLoop(_ words: [LiveWord]) -> Bool {
        let keys = words.map(\.key)
        for length in 1...longestRepetition where words.count >= fewestRepetitions * length {
            let limit = shortWordSamples * Double(length)
            for first in 0...(words.count - fewestRepetitions * length) {
                let isRepeated = (first..<(first + (fewestRepetitions - 1) * length))
                    .allSatisfy { keys[$0] == keys[$0 + length] }
                guard isRepeated else { continue }
                let areQuick = (0..<fewestRepetitions).allSatisfy { turn in
                    let start = first + turn * length
                    return Double(words[start + length - 1].end - words[start].start) < limit
                }
                if areQuick { return true }
            }
        }
        return false
    }

    private static func isPhrase(_ words: [LiveWord]) -> Bool {
        phrases.contains(words.map(\.key).joined(separator: " "))
    }

    /// What models learned from subtitles and write under silence, as keys.
    private static let phrases: Set<String> = [
        "you", "thank you", "thanks for watching", "thank you for watching", "thank you very much", "bye",
        "please subscribe", "subscribe to my channel", "see you next time", "subtitles by the amara.org community",
        "untertitel der amara.org-community", "untertitelung des zdf für funk, 2017",
        "sous-titres réalisés par la communauté d'amara.org", "subtítulos realizados por la comunidad de amara.org",
        "ご視聴ありがとうございました", "продолжение следует",
    ]
}
