import EngineAudio
package import EngineModels

/// Detects text that was not spoken.
package enum HallucinationFilter {
    package enum Verdict: Sendable, Hashable {
        case accepted
        /// There was no speech; the pass yields nothing.
        case silence
        /// The text repeats itself or is too fast for speech; another attempt may be better.
        case hallucinated
    }

    /// Fewer than `TextThresholds.repetitions`: here the times of the words also count.
    private static let minRepetitions = 4
    private static let maxRepeatedWords = 5
    private static let judge = TextJudge()

    /// Returns whether the text of a pass can be trusted.
    ///
    /// - Parameters:
    ///   - isWhole: whether the pass is the utterance's entire text so far, so that it may be a credits phrase.
    ///   - filtersPhrases: whether to reject such phrases.
    package static func verdict(on pass: LivePass, isWhole: Bool, filtersPhrases: Bool) -> Verdict {
        if judge.isSilence(noSpeechProb: pass.noSpeechProb, avgLogprob: pass.avgLogprob) { return .silence }
        if filtersPhrases, isWhole, pass.noSpeechProb ?? 0 > TextThresholds.phraseNoSpeech, isPhrase(pass.words) {
            return .silence
        }
        if pass.isRepetitive || judge.isRepetitive(pass.compressionRatio) { return .hallucinated }
        return isTooFast(pass.words) || isLoop(pass.words) ? .hallucinated : .accepted
    }

    /// Returns whether an improbable word lies in silence.
    package static func isHallucinated(_ word: LiveWord, voiced: [Range<Int>]) -> Bool {
        guard word.probability < TextThresholds.wordProbability, word.end > word.start else { return false }
        let voicedCount = voiced.reduce(0) { $0 + $1.clamped(to: word.start..<word.end).count }
        return Double(voicedCount) <= 0.1 * Double(word.end - word.start)
    }

    private static func isTooFast(_ words: [LiveWord]) -> Bool {
        guard words.count >= SpeakingRate.manyWords, let first = words.first, let last = words.last else {
            return false
        }
        let seconds = AudioChunk.seconds(of: last.end - first.start)
        return Double(words.count) > SpeakingRate.fastestWords * seconds
    }

    /// Whether the same few words repeat too quickly for speech. Spoken repetitions take time.
    private static func isLoop(_ words: [LiveWord]) -> Bool {
        let keys = words.map(\.key)
        for length in 1...maxRepeatedWords where words.count >= minRepetitions * length {
            let limit = Double(AudioChunk.sampleRate) * SpeakingRate.quickestWord * Double(length)
            for first in 0...(words.count - minRepetitions * length) {
                let isRepeated = (first..<(first + (minRepetitions - 1) * length))
                    .allSatisfy { keys[$0] == keys[$0 + length] }
                guard isRepeated else { continue }
                let areQuick = (0..<minRepetitions).allSatisfy { turn in
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

    /// Phrases that models learned from subtitles and generate for silence, as word keys.
    private static let phrases: Set<String> = [
        "you", "thank you", "thanks for watching", "thank you for watching", "thank you very much", "bye",
        "please subscribe", "subscribe to my channel", "see you next time", "subtitles by the amara.org community",
        "untertitel der amara.org-community", "untertitelung des zdf für funk, 2017",
        "sous-titres réalisés par la communauté d'amara.org", "subtítulos realizados por la comunidad de amara.org",
        "ご視聴ありがとうございました", "продолжение следует",
    ]
}
