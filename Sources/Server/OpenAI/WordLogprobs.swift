import Glibc
import WhisperEngine

/// `logprobs`: how probable the text is. The engine keeps the mean probability of a word, not those of its tokens, so an
/// entry is a whole word with its blank and its punctuation.
enum WordLogprobs {
    /// What the clouds send for a probability of zero.
    private static let least = -9999.0

    static func json(_ segments: [TranscriptSegment]) -> String {
        JSONText.array(
            segments.flatMap { $0.words ?? [] }.map { word in
                let probability = word.probability
                let logprob = probability > 0 ? max(least, min(0, log(probability))) : least
                return JSONText.object([
                    ("token", JSONText.string(word.word)), ("logprob", JSONText.statistic(logprob)),
                    ("bytes", JSONText.array(word.word.utf8.map { "\($0)" })),
                ])
            })
    }
}
