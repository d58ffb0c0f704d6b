package import EngineTranscripts

/// Whether the text that a network wrote for a part of the audio can be believed. Each rule is here once, for recordings and
/// live audio alike. A limit of `nil` turns its test off.
package struct TextJudge: Hashable, Sendable {
    /// Text with a greater compression ratio repeats itself.
    package var compressionRatio: Double? = TextThresholds.compressionRatio
    /// Text with a lower mean log probability is improbable.
    package var logprob: Double? = TextThresholds.logprob
    /// With a greater no-speech probability, there may be no speech.
    package var noSpeech: Double? = TextThresholds.noSpeech
    /// A run of tokens that occurs this many times in a row is a loop. The compression ratio misses those of a few words in a
    /// short text.
    package var repetitions: Int?

    package init() {}

    package init(_ options: WhisperOptions) {
        compressionRatio = options.compressionRatioThreshold
        logprob = options.logprobThreshold
        noSpeech = options.noSpeechThreshold
    }

    /// The same limits with the default for those that are `nil`.
    package var complete: TextJudge {
        var judge = TextJudge()
        judge.compressionRatio = compressionRatio ?? judge.compressionRatio
        judge.logprob = logprob ?? judge.logprob
        judge.noSpeech = noSpeech ?? judge.noSpeech
        judge.repetitions = repetitions
        return judge
    }

    /// - Parameter ratio: `nil` if the model does not compute it.
    package func isRepetitive(_ ratio: Double?) -> Bool { ratio.map { $0 > compressionRatio ?? .infinity } ?? false }

    package func isImprobable(_ avgLogprob: Double) -> Bool { avgLogprob < logprob ?? -.infinity }

    /// - Parameter noSpeechProb: `nil` if the model does not compute it.
    package func lacksSpeech(_ noSpeechProb: Double?) -> Bool {
        noSpeechProb.map { $0 > noSpeech ?? .infinity } ?? false
    }

    /// Improbable text where there may be no speech is silence.
    package func isSilence(noSpeechProb: Double?, avgLogprob: Double) -> Bool {
        lacksSpeech(noSpeechProb) && isImprobable(avgLogprob)
    }

    /// Whether openai-whisper skips a window: as `isSilence`, but without a limit for improbable text, all text counts as such.
    package func isSkipped(noSpeechProb: Double, avgLogprob: Double) -> Bool {
        lacksSpeech(noSpeechProb) && !(avgLogprob > logprob ?? .infinity)
    }

    /// Why a text is to be decoded again; `nil` if it is accepted, as silence is.
    ///
    /// - Parameter tokens: of the text, without timestamps.
    package func failure(
        of tokens: [Int], noSpeechProb: Double, avgLogprob: Double, compressionRatio ratio: Double
    ) -> DecodingRetry.Reason? {
        if isSilence(noSpeechProb: noSpeechProb, avgLogprob: avgLogprob) { return nil }
        if isRepetitive(ratio) { return .repetitive(compressionRatio: ratio) }
        if let repetitions, let times = tokens.repetition(atLeast: repetitions)?.times { return .looping(times: times) }
        return isImprobable(avgLogprob) ? .improbable(avgLogprob: avgLogprob) : nil
    }
}

extension Array where Element: Equatable {
    /// A run of elements that occurs at least `minimum` times in a row: the greatest number of times, and the index of the
    /// first element of any second occurrence. `nil` if there is no such run.
    package func repetition(atLeast minimum: Int) -> (times: Int, second: Int)? {
        guard minimum > 1, count >= minimum else { return nil }
        var times = 1, second = count
        for length in 1...(count / minimum) {
            var equal = 0
            for index in length..<count {
                equal = self[index] == self[index - length] ? equal + 1 : 0
                times = Swift.max(times, equal / length + 1)
                if equal == length * (minimum - 1) { second = Swift.min(second, index - equal + 1) }
            }
        }
        return times >= minimum ? (times, second) : nil
    }
}
