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
    /// The start of a character with which the text ends up to here, but not `text`: a later window may begin with the rest.
    let unfinished: [UInt8]

    package init(timing: SegmentTiming, text: String, tokens: ArraySlice<Int>, unfinished: [UInt8] = []) {
        self.timing = timing
        originalTiming = timing
        self.text = text
        self.tokens = Array(tokens)
        range = tokens.indices
        self.unfinished = unfinished
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

    /// - Parameters:
    ///   - tokens: the window's ids up to the end of text.
    ///   - unfinished: the start of a character with which the text before the window ended.
    package init(tokens: [Int], span: WindowSpan, tokenizer: Tokenizer, unfinished: [UInt8] = []) {
        let special = tokenizer.special
        let isTime = tokens.map { $0 >= special.firstTimestamp }
        endsInSingleTimestamp = isTime.suffix(2).elementsEqual([false, true])
        var ends = tokens.indices.dropFirst().filter { isTime[$0 - 1] && isTime[$0] }
        guard !ends.isEmpty else {
            let last = tokens.last { $0 >= special.firstTimestamp }.map { $0 - special.firstTimestamp } ?? 0
            let duration = last == 0 ? span.duration : Self.seconds(last)
            segments = Self.segments(
                [(tokens[...], span.start, span.start + duration)], tokenizer, after: unfinished)
            advance = span.frames
            return
        }
        if endsInSingleTimestamp { ends.append(tokens.count) }
        var first = 0
        var parts: [Part] = []
        for next in ends {
            let slice = tokens[first..<next]
            // Only the timestamp rules guarantee that a slice starts with a timestamp and that time does not run
            // backwards; without them, start and length of a segment are limited to be non-negative.
            let start = max(0, tokens[first] - special.firstTimestamp)
            let end = max(start, tokens[next - 1] - special.firstTimestamp)
            parts.append((slice, span.start + Self.seconds(start), span.start + Self.seconds(end)))
            first = next
        }
        segments = Self.segments(parts, tokenizer, after: unfinished)
        advance = endsInSingleTimestamp ? span.frames : 2 * (tokens[first - 1] - special.firstTimestamp)
    }

    private typealias Part = (tokens: ArraySlice<Int>, start: Double, end: Double)

    private static func segments(
        _ parts: [Part], _ tokenizer: Tokenizer, after unfinished: [UInt8]
    ) -> [WindowSegment] {
        var bytes = parts.map { tokenizer.textBytes(of: $0.tokens) }
        if let first = bytes.firstIndex(where: { !$0.isEmpty }) { bytes[first] = unfinished + bytes[first] }
        completeCharacters(&bytes)
        var unfinished = unfinished
        return zip(parts, bytes).map { part, bytes in
            if !bytes.isEmpty { unfinished = Array(bytes.suffix(UTF8Assembler.incompleteLength(bytes))) }
            let timing = SegmentTiming(
                start: part.start, end: part.end,
                textTokenCount: part.tokens.count { $0 < tokenizer.special.endOfText })
            return WindowSegment(
                timing: timing, text: UTF8Assembler.wholeCharacters(bytes), tokens: part.tokens,
                unfinished: unfinished)
        }
    }

    /// Gives a character that is divided among texts to the first of them, as its word is.
    private static func completeCharacters(_ texts: inout [[UInt8]]) {
        for index in texts.indices {
            while UTF8Assembler.incompleteLength(texts[index]) > 0,
                let next = texts[(index + 1)...].firstIndex(where: { !$0.isEmpty }),
                UTF8Assembler.isContinuation(texts[next][0])
            {
                texts[index].append(texts[next].removeFirst())
            }
        }
    }

    /// Timestamps are 20 ms apart.
    private static func seconds(_ timestamp: Int) -> Double { Double(timestamp) * 0.02 }
}
