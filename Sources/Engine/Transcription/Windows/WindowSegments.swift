/// A window's ids cut into segments at the timestamps.
package struct WindowSegments: Hashable, Sendable {
    package let segments: [WindowSegment]
    /// Frames from the window's start to where the next window should start.
    package let advance: Int
    /// The ids end in one timestamp after text: the model says that no speech follows.
    package let endsInSingleTimestamp: Bool

    /// - Parameters:
    ///   - tokens: the window's ids up to the end of text.
    ///   - span: where the window lies.
    package init(tokens: [Int], span: WindowSpan, tokenizer: Tokenizer) {
        let special = tokenizer.special
        let isTime = tokens.map { $0 >= special.firstTimestamp }
        endsInSingleTimestamp = isTime.suffix(2).elementsEqual([false, true])
        var cuts = tokens.indices.dropFirst().filter { isTime[$0 - 1] && isTime[$0] }
        guard !cuts.isEmpty else {
            let last = tokens.last { $0 >= special.firstTimestamp }.map { $0 - special.firstTimestamp } ?? 0
            let duration = last == 0 ? span.duration : Self.seconds(last)
            segments = [
                Self.segment(tokens[...], start: span.start, end: span.start + duration, tokenizer: tokenizer)
            ]
            advance = span.frames
            return
        }
        if endsInSingleTimestamp { cuts.append(tokens.count) }
        var first = 0
        var segments: [WindowSegment] = []
        for cut in cuts {
            let slice = tokens[first..<cut]
            // Only the timestamp rules make sure that a slice starts with a timestamp and that time does not run
            // backwards; without them a segment starts with the window at the earliest and has no negative length.
            let start = max(0, tokens[first] - special.firstTimestamp)
            let end = max(start, tokens[cut - 1] - special.firstTimestamp)
            segments.append(
                Self.segment(
                    slice, start: span.start + Self.seconds(start), end: span.start + Self.seconds(end),
                    tokenizer: tokenizer))
            first = cut
        }
        self.segments = segments
        advance = endsInSingleTimestamp ? span.frames : 2 * (tokens[first - 1] - special.firstTimestamp)
    }

    private static func segment(_ tokens: ArraySlice<Int>, start: Double, end: Double, tokenizer: Tokenizer)
        -> WindowSegment
    {
        let text = tokens.filter { $0 < tokenizer.special.endOfText }
        return WindowSegment(
            timing: SegmentTiming(start: start, end: end, textTokenCount: text.count), text: tokenizer.decode(text),
            tokens: Array(tokens))
    }

    /// Timestamps are 20 ms apart.
    private static func seconds(_ timestamp: Int) -> Double { Double(timestamp) * 0.02 }
}
