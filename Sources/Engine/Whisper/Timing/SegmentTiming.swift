/// The times of a segment and of its words.
package struct SegmentTiming: Hashable, Sendable {
    /// Seconds from the start of the recording.
    package var start: Double
    package var end: Double
    /// Number of the segment's ids below end of text, which is how many its words have.
    package let textTokenCount: Int
    /// Their times count from the start of the recording, too.
    package var words: [WordTiming]

    package init(start: Double, end: Double, textTokenCount: Int, words: [WordTiming] = []) {
        self.start = start
        self.end = end
        self.textTokenCount = textTokenCount
        self.words = words
    }

    /// Whether the words look hallucinated: many of the first eight are improbable, very short or very long.
    ///
    /// False for a segment without words.
    package var isAnomalous: Bool {
        guard !words.isEmpty else { return false }
        let judged = words.lazy.filter { !PunctuationMarks.all.contains($0.word) }.prefix(8)
        var score = 0.0
        var count = 0.0
        for word in judged {
            score += word.anomaly
            count += 1
        }
        return score >= 3 || score + 0.01 >= count
    }
}

extension WordTiming {
    /// 0 for an ordinary word; constants from openai-whisper's `word_anomaly_score`.
    fileprivate var anomaly: Double {
        let duration = end - start
        var score = 0.0
        if probability < 0.15 { score += 1 }
        if duration < 0.133 { score += (0.133 - duration) * 15 }
        if duration > 2 { score += duration - 2 }
        return score
    }
}
