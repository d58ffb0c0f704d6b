import EngineBasics

/// A segment while its window is being processed.
package struct WindowSegment: Hashable, Sendable {
    package var timing: SegmentTiming
    /// The model's own times, before words are timed.
    let originalTiming: SegmentTiming
    package let text: String
    /// Ids, timestamps included.
    package let tokens: [Int]
    /// Indices of `tokens` in the ids of the window.
    package let range: Range<Int>

    package init(timing: SegmentTiming, text: String, tokens: ArraySlice<Int>) {
        self.timing = timing
        originalTiming = timing
        self.text = text
        self.tokens = Array(tokens)
        range = tokens.indices
    }

    /// Whether the segment has no length or only white space.
    package var isBlank: Bool { timing.start == timing.end || WhiteSpace.strip(text).isEmpty }
}

/// The ids of a window, split into segments at the timestamps.
package struct WindowSegments: Hashable, Sendable {
    package let segments: [WindowSegment]
    /// Frames from the start of this window to that of the next.
    package let advance: Int
    /// Whether the ids end in a single timestamp after text: the model predicts that no speech follows.
    let endsInSingleTimestamp: Bool

    /// - Parameter tokens: the window's ids up to the end of text.
    package init(tokens: [Int], span: WindowSpan, tokenizer: Tokenizer) {
        let special = tokenizer.special
        let isTime = tokens.map { $0 >= special.firstTimestamp }
        endsInSingleTimestamp = isTime.suffix(2).elementsEqual([false, true])
        var ends = tokens.indices.dropFirst().filter { isTime[$0 - 1] && isTime[$0] }
        guard !ends.isEmpty else {
            let last = tokens.last { $0 >= special.firstTimestamp }.map { $0 - special.firstTimestamp } ?? 0
            let duration = last == 0 ? span.duration : Self.seconds(last)
            segments = [
                Self.segment(tokens[...], start: span.start, end: span.start + duration, tokenizer: tokenizer)
            ]
            advance = span.frames
            return
        }
        if endsInSingleTimestamp { ends.append(tokens.count) }
        var first = 0
        var segments: [WindowSegment] = []
        for next in ends {
            let slice = tokens[first..<next]
            // Only the timestamp rules guarantee that a slice starts with a timestamp and that time does not run
            // backwards; without them, start and length of a segment are limited to be non-negative.
            let start = max(0, tokens[first] - special.firstTimestamp)
            let end = max(start, tokens[next - 1] - special.firstTimestamp)
            segments.append(
                Self.segment(
                    slice, start: span.start + Self.seconds(start), end: span.start + Self.seconds(end),
                    tokenizer: tokenizer))
            first = next
        }
        self.segments = segments
        advance = endsInSingleTimestamp ? span.frames : 2 * (tokens[first - 1] - special.firstTimestamp)
    }

    private static func segment(_ tokens: ArraySlice<Int>, start: Double, end: Double, tokenizer: Tokenizer)
        -> WindowSegment
    {
        let count = tokens.count { $0 < tokenizer.special.endOfText }
        return WindowSegment(
            timing: SegmentTiming(start: start, end: end, textTokenCount: count),
            text: tokenizer.text(of: Array(tokens)), tokens: tokens)
    }

    /// Timestamps are 20 ms apart.
    private static func seconds(_ timestamp: Int) -> Double { Double(timestamp) * 0.02 }
}
