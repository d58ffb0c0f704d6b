import EngineTranscripts

extension [TranscriptSegment] {
    /// Below this, a time that must move takes the other end of its word along, seconds.
    private static var minLength: Double { 0.02 }

    /// Limits the segments of a window, and puts words and segments in order: each ends before the next one starts, and a
    /// segment contains its words.
    ///
    /// openai-whisper's times break these rules. The model may place an end after that of the clip, and a word that seems
    /// too long is moved out of its segment or reaches into the next window.
    ///
    /// - Parameters:
    ///   - start: of the window, in seconds.
    ///   - end: of the window or, if it is earlier, the start of the next one.
    mutating func putInOrder(from start: Double, to end: Double) {
        var latest = end
        func fitted(_ times: (Double, Double)) -> (Double, Double) {
            let length = Swift.min(Self.minLength, Swift.max(0, times.1 - times.0))
            let last = Swift.max(start, Swift.min(times.1, latest))
            let first = last - times.0 < length ? TimeRounding.hundredths(last - length) : times.0
            latest = Swift.max(start, first)
            return (latest, last)
        }
        for index in indices.reversed() {
            guard var words = self[index].words, !words.isEmpty else {
                (self[index].start, self[index].end) = fitted((self[index].start, self[index].end))
                continue
            }
            for word in words.indices.reversed() {
                (words[word].start, words[word].end) = fitted((words[word].start, words[word].end))
            }
            self[index].start = words[0].start
            self[index].end = words[words.count - 1].end
            self[index].words = words
        }
    }
}
