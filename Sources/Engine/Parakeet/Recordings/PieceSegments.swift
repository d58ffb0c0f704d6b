import EngineAudio
package import EngineModels
import EngineTranscripts
import Glibc

/// Turns the words of a piece of audio into segments: each ends with its sentence, or before a pause.
package struct PieceSegments {
    /// Seconds at which the piece starts and ends.
    let start: Double
    let end: Double
    /// Whether segments contain words, and log probabilities.
    let hasWords: Bool
    let hasLogprobs: Bool

    /// Seconds without a word that end a segment. Ends of words are uncertain by this half.
    private static let pause = 0.8

    /// Seconds of text after which a segment ends in any case.
    private static let longest = ParakeetModel.longestPiece

    /// - Parameter range: the samples of the piece.
    package init(_ range: Range<Int>, options: TranscriptionOptions) {
        start = AudioChunk.seconds(of: range.lowerBound)
        end = AudioChunk.seconds(of: range.upperBound)
        hasWords = options.wordTimestamps
        hasLogprobs = options.tokenLogprobs
    }

    /// - Parameter first: the id of the first segment.
    func segments(of words: [ParakeetWord], first: Int) -> [TranscriptSegment] {
        segments(of: groups(of: words), first: first)
    }

    /// The words of each segment.
    func groups(of words: [ParakeetWord]) -> [[ParakeetWord]] {
        var groups: [[ParakeetWord]] = []
        for word in words {
            if let last = groups.last?.last, !last.endsSentence, time(word.start) - time(last.end) < Self.pause {
                groups[groups.count - 1].append(word)
            } else {
                groups.append([word])
            }
        }
        return groups
    }

    /// Whether a segment ends with these words, whatever follows.
    package func isEnded(_ words: [ParakeetWord]) -> Bool {
        guard let first = words.first, let last = words.last else { return true }
        return last.endsSentence || time(last.end) - time(first.start) > Self.longest
    }

    /// - Parameter groups: the words of each segment.
    func segments(of groups: [[ParakeetWord]], first: Int) -> [TranscriptSegment] {
        groups.enumerated().map { segment(of: $1, id: first + $0) }
    }

    /// The time of a frame.
    func time(_ frame: Double) -> Double {
        min(TimeRounding.hundredths(start + frame * ParakeetModel.frameSeconds), end)
    }

    private func segment(of words: [ParakeetWord], id: Int) -> TranscriptSegment {
        let logprobs = words.flatMap(\.logprobs).map { Double($0) }
        var segment = TranscriptSegment(
            id: id, start: words.first.map { time($0.start) } ?? start, end: words.last.map { time($0.end) } ?? end,
            text: words.map { " " + $0.text }.joined(), tokens: words.flatMap(\.tokens),
            avgLogprob: logprobs.reduce(0, +) / Double(max(1, logprobs.count)))
        if hasLogprobs { segment.tokenLogprobs = logprobs }
        if hasWords {
            segment.words = words.map {
                TranscriptWord(
                    word: " " + $0.text, start: time($0.start), end: time($0.end), probability: $0.probability)
            }
        }
        return segment
    }
}

extension ParakeetWord {
    /// Mean probability of its tokens.
    var probability: Double { logprobs.reduce(0) { $0 + exp(Double($1)) } / Double(logprobs.count) }
}
