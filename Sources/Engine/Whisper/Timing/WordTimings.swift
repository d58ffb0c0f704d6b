import EngineTranscripts

/// A word of a window, as found by the alignment.
package struct WordTiming: Hashable, Sendable {
    /// Text with its leading space.
    package var word: String
    package var tokens: [Int]
    /// Seconds from the start of the window.
    package var start: Double
    package var end: Double
    /// Mean probability of the tokens.
    package var probability: Double

    package init(word: String, tokens: [Int], start: Double, end: Double, probability: Double) {
        self.word = word
        self.tokens = tokens
        self.start = start
        self.end = end
        self.probability = probability
    }
}

/// The words of a window, with overlong ones shortened, ready to be assigned to its segments.
///
/// Method and constants are those of openai-whisper's `add_word_timestamps`.
package struct WordTimings: Sendable {
    /// Times are seconds from the start of the window. Words merged into a neighbor stay in the list with an empty text
    /// and no ids.
    package let words: [WordTiming]
    /// Median duration of the words that are not instants, at most 0.7 s; 0 without words.
    package let medianDuration: Double

    private var maximumDuration: Double { medianDuration * 2 }

    /// - Parameters:
    ///   - alignment: the aligned words in seconds from the start of the window, with punctuation as separate words.
    ///   - punctuation: which marks belong to which neighbor.
    package init(_ alignment: [WordTiming], merging punctuation: PunctuationMerging) {
        let durations = alignment.map { $0.end - $0.start }.filter { $0 != 0 }
        medianDuration = min(0.7, Self.median(of: durations))
        var words = alignment
        if !durations.isEmpty { Self.cutLongWords(&words, maximum: medianDuration * 2) }
        punctuation.merge(&words)
        self.words = words
    }

    /// Assigns the words to the segments in order, and adjusts the times of both to match.
    ///
    /// - Parameters:
    ///   - segments: the segments of one window, in order.
    ///   - timeOffset: start of the window in seconds.
    ///   - lastSpeech: end of the last word before the window, in seconds.
    package func assign(to segments: inout [SegmentTiming], timeOffset: Double, lastSpeech: Double) {
        var rest = words[...]
        var lastSpeech = lastSpeech
        for i in segments.indices {
            segments[i].words = nextWords(segments[i].textTokenCount, from: &rest, timeOffset: timeOffset)
            guard !segments[i].words.isEmpty else { continue }
            shortenAfterPause(&segments[i].words, lastSpeech: lastSpeech)
            fit(&segments[i])
            lastSpeech = segments[i].end
        }
    }

    /// Removes the next words that together have `tokenCount` ids; a word that straddles two segments belongs to the
    /// first.
    private func nextWords(
        _ tokenCount: Int, from rest: inout ArraySlice<WordTiming>, timeOffset: Double
    ) -> [WordTiming] {
        var result: [WordTiming] = []
        var tokens = 0
        while tokens < tokenCount, var word = rest.popFirst() {
            tokens += word.tokens.count
            guard !word.word.isEmpty else { continue }
            // No word starts before the recording, even if the alignment says so.
            word.start = max(0, TimeRounding.hundredths(timeOffset + word.start))
            word.end = max(0, TimeRounding.hundredths(timeOffset + word.end))
            result.append(word)
        }
        return result
    }

    /// Shortens the first words after a pause, which often include it.
    private func shortenAfterPause(_ words: inout [WordTiming], lastSpeech: Double) {
        let first = words[0]
        let second = words.count > 1 ? words[1] : nil
        guard first.end - lastSpeech > medianDuration * 4 else { return }
        let isLong = first.end - first.start > maximumDuration
        let areLong = second.map { $0.end - first.start > maximumDuration * 2 } ?? false
        guard isLong || areLong else { return }
        if let second, second.end - second.start > maximumDuration {
            let boundary = max(second.end / 2, second.end - maximumDuration)
            words[0].end = boundary
            words[1].start = boundary
        }
        words[0].start = max(0, words[0].end - maximumDuration)
    }

    /// Moves the segment's start and end to those of its words, except where a word is so long that the segment's own
    /// time is more credible.
    private func fit(_ segment: inout SegmentTiming) {
        let last = segment.words.count - 1
        if segment.start < segment.words[0].end, segment.start - 0.5 > segment.words[0].start {
            segment.words[0].start = max(0, min(segment.words[0].end - medianDuration, segment.start))
        } else {
            segment.start = segment.words[0].start
        }
        if segment.end > segment.words[last].start, segment.end + 0.5 < segment.words[last].end {
            segment.words[last].end = max(segment.words[last].start + medianDuration, segment.end)
        } else {
            segment.end = segment.words[last].end
        }
    }

    /// Shortens long words at sentence boundaries, which contain a pause.
    private static func cutLongWords(_ words: inout [WordTiming], maximum: Double) {
        for i in words.indices.dropFirst() where words[i].end - words[i].start > maximum {
            if PunctuationMarks.sentenceEnds.contains(words[i].word) {
                words[i].end = words[i].start + maximum
            } else if PunctuationMarks.sentenceEnds.contains(words[i - 1].word) {
                words[i].start = words[i].end - maximum
            }
        }
    }

    private static func median(of values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
