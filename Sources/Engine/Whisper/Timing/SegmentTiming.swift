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

/// Rounding of times exactly as in the reference.
package enum TimeRounding {
    /// Rounds to two decimals according to the exact binary value: 0.125 is a tie and becomes the even 0.12; 0.285 is
    /// stored as slightly less and becomes 0.28.
    package static func hundredths(_ seconds: Double) -> Double {
        let scaled = seconds * 100
        guard scaled.magnitude < 0x1p52 else { return seconds }
        // scaled + error is the exact product; the error matters only if scaled looks like a tie.
        let error = (-scaled).addingProduct(seconds, 100)
        var whole = scaled.rounded(.toNearestOrEven)
        let rest = scaled - whole
        if rest == 0.5, error > 0 { whole += 1 }
        if rest == -0.5, error < 0 { whole -= 1 }
        return whole / 100
    }

    /// The 10 ms frame nearest to a time, half to even. Times beyond any recording are clamped; NaN is frame 0.
    package static func frame(at seconds: Double) -> Int {
        let frame = (seconds * 100).rounded(.toNearestOrEven)
        if frame.isNaN { return 0 }
        return Int(min(max(frame, -0x1p52), 0x1p52))
    }
}
